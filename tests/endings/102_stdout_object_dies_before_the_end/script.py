import sys
import threading
import time


class Counter:
    def __init__(self, stream):
        self.stream = stream
        self.count = 0

    def write(self, text):
        self.count += len(text)
        self.stream.write(text)

    def flush(self):
        self.stream.flush()

    def __del__(self):
        self.stream.write("counted %d\n" % self.count)


threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
sys.stdout = Counter(sys.stdout)
print("hello")
