from hermes_tools import read_file

for _ in range(5):
    print(read_file("a.txt")["content"])
