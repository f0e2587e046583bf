import io
import os

fd = os.open("raw.bin", os.O_WRONLY | os.O_CREAT)
w = io.BufferedWriter(io.FileIO(fd, "wb"), buffer_size=1 << 16)
w.write(b"\x00\x01" * 100)
fd2 = os.open("keep.bin", os.O_WRONLY | os.O_CREAT)
k = open(fd2, "wb", closefd=False)
k.write(b"not closed by Python")
