import logging
import logging.handlers

logging.basicConfig(filename="log.txt", level=logging.INFO, format="%(message)s")
memory = logging.handlers.MemoryHandler(100, target=logging.FileHandler("memory.txt"))
logging.getLogger().addHandler(memory)
logging.info("one")
logging.info("two")
