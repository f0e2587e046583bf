import struct
import time

from forge import CALL, send

print("kept", flush=True)
send(struct.pack("<IIQHHI", 100, 0xfffffff0, 1, CALL, 0, 0) + b"{}" * 50)
time.sleep(20)
print("not reached")
