from hermes_tools import shell_quote, terminal

text = "a'b; rm -rf $HOME `id` \\ \" *"
print(terminal("printf %s " + shell_quote(text))["output"] == text)
print(shell_quote(""), shell_quote("plain"))
