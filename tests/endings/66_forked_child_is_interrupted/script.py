import os
import sys

pid = os.fork()
if pid == 0:
    sys.stderr = None
    raise KeyboardInterrupt
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
