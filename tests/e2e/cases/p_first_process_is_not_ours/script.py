import os

names = [name for name in os.listdir("/proc") if name.isdigit()]
print(len(names) < 10, os.getpid() in map(int, names), os.getpid() < 100)
