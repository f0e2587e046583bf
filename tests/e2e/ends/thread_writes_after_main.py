import threading
import time

file = open("thread.txt", "w")


def late():
    time.sleep(0.2)
    file.write("late")
    print("late")


threading.Thread(target=late).start()
