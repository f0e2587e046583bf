from hermes_tools import write_file

print(write_file("a.toml", "x = 1\n[table]\ny = ")["error"])
print(write_file("b.toml", "x = 1\ny ~ 2\n")["error"])
print(write_file("c.toml", "é = 1")["error"])
