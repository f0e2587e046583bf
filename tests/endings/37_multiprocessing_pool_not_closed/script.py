import multiprocessing


def square(n):
    return n * n


pool = multiprocessing.Pool(2)
print(pool.map(square, range(5)))
