import asyncio

loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)


async def agen():
    try:
        yield 1
        yield 2
    finally:
        print("async generator closed")


async def main():
    global g
    g = agen()
    print(await g.__anext__())


loop.run_until_complete(main())
