from concurrent.futures import ThreadPoolExecutor

from hermes_tools import read_file

with open("lines.txt", "w") as file:
    file.writelines(f"line {i}\n" for i in range(1, 501))


def ask(i):
    return read_file("lines.txt", offset=i, limit=1)["content"] == f"{i}|line {i}"


with ThreadPoolExecutor(32) as pool:
    print(sum(pool.map(ask, range(1, 501))))
