import asyncio


async def work():
    return 1


async def main():
    asyncio.create_task(asyncio.sleep(10))
    with open("async.txt", "w") as file:
        file.write("async")


waiting = work()
asyncio.run(main())
