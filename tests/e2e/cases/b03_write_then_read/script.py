from hermes_tools import read_file, write_file

r = write_file("new/dir/a.txt", "alpha\nbeta\n")
print("error" in r)
print(read_file("new/dir/a.txt")["content"])
print(open("new/dir/a.txt").read(), end="")
