import concurrent.futures


def square(n):
    return n * n


pool = concurrent.futures.ProcessPoolExecutor(2)
print(list(pool.map(square, range(4))))
