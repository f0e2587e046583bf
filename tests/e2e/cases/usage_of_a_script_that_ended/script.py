import time

block = bytearray(100 << 20)
while time.process_time() < 0.05:
    pass
print(len(block))
