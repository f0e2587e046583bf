import atexit

for i in range(3):
    atexit.register(print, i)
atexit.register(lambda: open("atexit.txt", "w").write("atexit"))
