import os
import time

for style in range(3):
    if os.fork() == 0:
        os.setsid()
        if style and os.fork():
            os._exit(0)
        if style == 2:
            os.setpgid(0, 0) if os.getpid() != os.getsid(0) else None
        while True:
            with open("heartbeat", "a") as file:
                file.write(".")
            time.sleep(0.05)
time.sleep(0.3)
print("daemons started", flush=True)
time.sleep(999)
