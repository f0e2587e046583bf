import sys


class Gone:
    def __del__(self):
        print("gone")


gone = Gone()
f = open("removed.txt", "w")
f.write("kept\n")
del sys.modules["__main__"]
