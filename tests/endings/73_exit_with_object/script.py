import sys


class Odd:
    def __str__(self):
        return "odd"


sys.exit(Odd())
