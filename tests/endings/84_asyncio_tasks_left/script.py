import asyncio


async def forever():
    try:
        await asyncio.sleep(60)
    finally:
        print("cancelled")


async def main():
    task = asyncio.create_task(forever())
    await asyncio.sleep(0)
    print("main is over")


asyncio.run(main())
