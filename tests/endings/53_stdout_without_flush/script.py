import sys


class Odd:
    def write(self, text):
        pass


sys.stdout = Odd()
print("swallowed")
