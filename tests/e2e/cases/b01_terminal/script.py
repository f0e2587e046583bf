from hermes_tools import terminal

r = terminal("echo x")
print(type(r).__name__, r["output"], r["exit_code"], r["error"])
