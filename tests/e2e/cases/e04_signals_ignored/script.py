import signal
import time

for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except OSError:
        pass
print("deaf", flush=True)
while True:
    time.sleep(100)
