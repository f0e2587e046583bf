import os
import subprocess

from hermes_tools import terminal

seen = str(dict(os.environ))
seen += subprocess.run(["env"], capture_output=True, text=True).stdout
try:
    seen += open("/proc/self/environ").read()
except PermissionError:
    pass  # the kernel refuses it altogether: nothing to find either
seen += terminal("env; tr '\\0' '\\n' < /proc/$$/environ")["output"]
print("s3cret" in seen, "PATH" in seen)
