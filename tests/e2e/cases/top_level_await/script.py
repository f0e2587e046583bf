import asyncio

await asyncio.sleep(0)
print(await asyncio.gather(*(asyncio.sleep(0, i) for i in range(3))))
