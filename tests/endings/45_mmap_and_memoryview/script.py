import mmap
import os

fd = os.open("mapped.bin", os.O_RDWR | os.O_CREAT)
os.ftruncate(fd, 100)
m = mmap.mmap(fd, 100)
m[0:5] = b"hello"
view = memoryview(m)[5:10]
view[:] = b"world"
