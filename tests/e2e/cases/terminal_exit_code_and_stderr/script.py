from hermes_tools import terminal

r = terminal("echo a; echo b >&2; echo c; exit 3")
print(r["output"].split(), r["exit_code"])
print(terminal("no_such_command_here")["exit_code"])
