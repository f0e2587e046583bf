class Loud:
    def __init__(self, name):
        self.name = name
        self.me = self

    def __del__(self):
        print("gone", self.name)


a = Loud("a")
print("end of script")
