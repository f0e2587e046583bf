import os
import signal

print("kept", flush=True)
os.kill(-1, signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL)
