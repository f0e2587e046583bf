import threading
import time

f = open("shared.txt", "w")
f.write("main\n")


def work(ready):
    f.write("daemon\n")
    ready.set()
    time.sleep(60)


ready = threading.Event()
threading.Thread(target=work, args=(ready,), daemon=True).start()
ready.wait()
