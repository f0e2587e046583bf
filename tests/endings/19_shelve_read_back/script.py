import atexit
import shelve

shelf = shelve.open("shelf", writeback=True)
shelf["a"] = {"x": 1}
shelf["a"]["y"] = 2


def read_back():
    global shelf
    shelf = None
    print(dict(shelve.open("shelf")))


atexit.register(read_back)
