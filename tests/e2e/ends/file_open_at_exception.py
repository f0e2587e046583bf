def work(file):
    file.write("before the exception")
    raise ValueError("x")


work(open("out.txt", "w"))
