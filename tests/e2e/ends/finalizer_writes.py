import weakref


class Thing:
    pass


def last(text):
    with open("finalized.txt", "a") as file:
        file.write(text)


thing = Thing()
weakref.finalize(thing, last, "finalize ")
