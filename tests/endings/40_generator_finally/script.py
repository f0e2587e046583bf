def worker():
    f = open("finally.txt", "w")
    try:
        yield 1
        yield 2
    finally:
        f.write("finally ran\n")
        print("finally")


g = worker()
print(next(g))
