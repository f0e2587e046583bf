import sys

json = "mine"
retry = "mine"


class socket:
    pass


sys.modules["json"] = None
from hermes_tools import shell_quote, terminal

print(terminal("echo " + shell_quote("a b"))["output"].strip(), json, retry)
import hermes_tools

print(hermes_tools.retry(lambda: 1), hermes_tools.json_parse("[1]"))
