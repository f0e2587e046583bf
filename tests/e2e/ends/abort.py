import os

print("before", flush=True)
os.abort()
