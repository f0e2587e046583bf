import mmap

with open("mapped.bin", "wb") as file:
    file.write(b"." * 4096)
file = open("mapped.bin", "r+b")
memory = mmap.mmap(file.fileno(), 0)
memory[0:5] = b"hello"
