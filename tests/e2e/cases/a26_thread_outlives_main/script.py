import threading
import time


def late():
    time.sleep(1)
    print("late")


threading.Thread(target=late).start()
print("main ends")
