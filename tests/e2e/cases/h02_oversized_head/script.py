import struct
import time

from forge import CALL, send

print("kept", flush=True)
send(struct.pack("<IIQHHI", 0x100000, 0, 1, CALL, 0, 0) + b" " * 0x100000)
time.sleep(20)
print("not reached")
