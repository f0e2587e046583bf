import os
import subprocess

from hermes_tools import terminal

seen = str(dict(os.environ))
seen += subprocess.run(["env"], capture_output=True, text=True).stdout
seen += open("/proc/self/environ").read() + terminal("env; tr '\\0' '\\n' < /proc/$$/environ")["output"]
print("s3cret" in seen, "PATH" in seen)
