import signal


class Held:
    def __del__(self):
        print("held is gone")


held = Held()


def handler(number, frame):
    print(held)


signal.signal(signal.SIGUSR1, handler)
f = open("signal.txt", "w")
f.write("kept\n")
