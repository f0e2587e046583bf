from hermes_tools import terminal

print(terminal("touch made"))
