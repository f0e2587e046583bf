import sys


class Tee:
    def __init__(self, stream, path):
        self.stream = stream
        self.file = open(path, "w")

    def write(self, text):
        self.stream.write(text)
        self.file.write(text)

    def flush(self):
        self.stream.flush()


sys.stdout = Tee(sys.stdout, "tee.txt")
print("to both")
print("unfinished", end="")
