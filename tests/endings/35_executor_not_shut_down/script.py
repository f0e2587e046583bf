import concurrent.futures
import time

pool = concurrent.futures.ThreadPoolExecutor(2)


def job(n):
    time.sleep(0.05)
    with open("job%d.txt" % n, "w") as f:
        f.write(str(n))
    return n


futures = [pool.submit(job, n) for n in range(4)]
print("submitted")
