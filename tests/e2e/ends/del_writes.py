class Saver:
    def __del__(self, open=open):
        with open("saved.txt", "w") as file:
            file.write("from __del__")


saver = Saver()
