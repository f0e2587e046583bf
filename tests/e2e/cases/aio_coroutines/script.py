import asyncio

from hermes_tools import aio

results = await asyncio.gather(*(aio.terminal(f"sleep 0.{i}; echo {i}") for i in range(3)))
print([r["output"].strip() for r in results])
