import sys
import threading


def work():
    print("thread exits")
    sys.exit(5)


t = threading.Thread(target=work)
t.start()
t.join()
