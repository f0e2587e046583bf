from concurrent.futures import ThreadPoolExecutor

from hermes_tools import terminal


def ask(i):
    return terminal(f"sleep 0.05; echo {i}")["output"].strip() == str(i)


with ThreadPoolExecutor(10) as pool:
    print(list(pool.map(ask, range(10))))
