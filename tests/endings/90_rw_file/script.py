f = open("rw.bin", "w+b")
f.write(b"0123456789" * 20)
f.seek(5)
f.write(b"in the middle")
