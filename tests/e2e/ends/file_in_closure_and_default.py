def make():
    file = open("closure.txt", "w")

    def write(text, other=open("default.txt", "w")):
        file.write(text)
        other.write(text)

    return write


make_it = make()
make_it("closure")
