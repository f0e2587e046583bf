from hermes_tools import read_file, terminal

print("error" in read_file("missing.txt"), terminal("echo on")["output"].strip())
