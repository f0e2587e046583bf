import threading
import time

from hermes_tools import terminal


def forever():
    while True:
        terminal("echo x")


for _ in range(3):
    threading.Thread(target=forever, daemon=True).start()
time.sleep(0.2)
print("end")
