import time

print("unflushed before")
time.sleep(999)
