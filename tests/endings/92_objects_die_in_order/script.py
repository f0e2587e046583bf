class Named:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("gone:", self.name)


first = Named("first")
second = Named("second")
_private = Named("private")
