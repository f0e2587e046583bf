import gc

gc.disable()


class Box:
    pass


box = Box()
box.box = box
box.file = open("box.txt", "w")
box.file.write("boxed\n")
del box
