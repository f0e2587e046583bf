from hermes_tools import read_file

print(sum("1|x" in read_file("small.txt")["content"] for _ in range(10000)))
