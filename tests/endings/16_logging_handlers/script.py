import logging
import logging.handlers

target = logging.FileHandler("memory.log")
memory = logging.handlers.MemoryHandler(1000, target=target)
log = logging.getLogger("app")
log.setLevel(logging.DEBUG)
log.addHandler(memory)
log.addHandler(logging.FileHandler("direct.log", delay=True))
for i in range(10):
    log.info("message %d", i)
