import threading
import time


class Local:
    def __del__(self):
        print("local is gone")


def fails():
    local = Local()
    file = open("local.txt", "w")
    file.write("kept\n")
    raise ValueError("x")


threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
fails()
