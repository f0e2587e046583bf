class Sink:
    def __init__(self):
        self.file = open("cycle.txt", "w")
        self.me = self

    def __del__(self):
        self.file.write("from __del__\n")
        print("deleted")


Sink().file.write("before\n")
