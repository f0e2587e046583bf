import logging


class Collect(logging.Handler):
    def __init__(self):
        super().__init__()
        self.file = open("collected.txt", "w")

    def emit(self, record):
        self.file.write(self.format(record) + "\n")


class Loud:
    def __del__(self):
        print("loud is gone")


loud = Loud()
logging.getLogger().addHandler(Collect())
logging.warning("kept by the root logger")
