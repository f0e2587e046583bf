import signal
import sys
import time


def finish(*_):
    print("saved my work")
    sys.exit(0)


signal.signal(signal.SIGTERM, finish)
print("working")
time.sleep(999)
