from concurrent.futures import ThreadPoolExecutor

from hermes_tools import read_file


def ask(_):
    return "error" not in read_file("a.txt")


with ThreadPoolExecutor(20) as pool:
    print(sum(pool.map(ask, range(60))))
