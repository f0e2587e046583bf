import time

from forge import send

print("kept", flush=True)
send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 4)
time.sleep(20)
print("not reached")
