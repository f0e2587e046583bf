import functools


@functools.lru_cache(maxsize=None)
def opened(path):
    return open(path, "a")


opened("a.txt").write("a\n")
opened("b.txt").write("b\n")
opened("a.txt").write("more\n")
