def fails():
    f = open("local.txt", "w")
    f.write("written although it failed\n")
    raise RuntimeError("over")


g = open("global.txt", "w")
g.write("global\n")
fails()
