import time

time.sleep(999)
