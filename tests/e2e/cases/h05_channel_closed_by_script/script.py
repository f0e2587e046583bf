import os

from forge import find_channel
from hermes_tools import terminal

os.close(find_channel())
try:
    terminal("echo x")
except RuntimeError as error:
    print("RuntimeError")
