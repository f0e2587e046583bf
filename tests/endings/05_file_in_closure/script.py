def make():
    f = open("closure.txt", "w")

    def write(text):
        f.write(text)

    return write


write = make()
write("held by a cell\n")
