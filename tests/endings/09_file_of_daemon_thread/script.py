import threading
import time


def work(ready):
    f = open("daemon.txt", "w")
    f.write("in the thread\n")
    ready.set()
    time.sleep(60)


ready = threading.Event()
threading.Thread(target=work, args=(ready,), daemon=True).start()
ready.wait()
