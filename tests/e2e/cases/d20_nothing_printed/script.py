from hermes_tools import terminal

terminal("echo unseen")
