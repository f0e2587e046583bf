import json


class Held:
    def __del__(self):
        print("held is gone")


json.file = open("held.txt", "w")
json.file.write("kept\n")
json.held = Held()
