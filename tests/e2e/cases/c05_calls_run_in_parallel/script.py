import time
from concurrent.futures import ThreadPoolExecutor

from hermes_tools import terminal

began = time.monotonic()
with ThreadPoolExecutor(10) as pool:
    results = list(pool.map(lambda _: terminal("sleep 0.5")["exit_code"], range(10)))
print(results, time.monotonic() - began < 2.5)
