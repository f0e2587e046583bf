from hermes_tools import read_file

print(read_file("not-there")["content"])
