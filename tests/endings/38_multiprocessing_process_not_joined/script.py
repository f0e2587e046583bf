import multiprocessing
import time


def work():
    time.sleep(0.2)
    with open("child.txt", "w") as f:
        f.write("child\n")


f = open("parent.txt", "w")
f.write("once\n")
f.flush()
multiprocessing.Process(target=work).start()
print("parent is over")
