import io


class Upper(io.TextIOWrapper):
    def write(self, text):
        return super().write(text.upper())


u = Upper(open("upper.txt", "wb"))
u.write("shouted\n")


class Counting(io.RawIOBase):
    def __init__(self, path):
        self.file = open(path, "wb", buffering=0)

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(bytes(data).upper())


b = io.BufferedWriter(Counting("counted.txt"))
b.write(b"counted\n")
