from hermes_tools import read_file, terminal

name = terminal("ls *.txt")["output"].strip()
print(name, read_file(name)["content"])
