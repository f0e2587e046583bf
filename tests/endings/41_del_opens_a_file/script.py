class Last:
    def __del__(self):
        with open("from_del.txt", "w") as f:
            f.write("opened in __del__\n")


class Leaves:
    def __del__(self):
        self.file = open("left_open.txt", "w")
        self.file.write("left open in __del__\n")


last = Last()
leaves = Leaves()
