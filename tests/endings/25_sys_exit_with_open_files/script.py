import sys

f = open("half.txt", "w")
f.write("half\n")


def deep():
    g = open("local.txt", "w")
    g.write("local\n")
    sys.exit(3)


deep()
