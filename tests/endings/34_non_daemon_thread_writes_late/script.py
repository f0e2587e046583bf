import threading
import time

f = open("late.txt", "w")


def work():
    time.sleep(0.2)
    f.write("late\n")
    print("late print")


threading.Thread(target=work).start()
print("main is over")
