import time
from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(2)


def work(i):
    time.sleep(0.02)
    with open(f"job{i}.txt", "w") as file:
        file.write("done")


for i in range(8):
    pool.submit(work, i)
