def lines():
    with open("gen.txt", "w") as f:
        while True:
            f.write((yield) or "")


g = lines()
next(g)
g.send("one\n")
g.send("two\n")
