from hermes_tools import terminal

terminal("mkdir -p sub && cd sub && export COLOUR=blue")
print(terminal('basename "$PWD"; echo $COLOUR')["output"].strip())
