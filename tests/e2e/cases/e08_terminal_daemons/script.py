from hermes_tools import terminal

r = terminal("(setsid sleep 300 >/dev/null 2>&1 &) ; nohup sleep 301 >/dev/null 2>&1 & echo started")
print(r["output"].strip(), r["exit_code"])
