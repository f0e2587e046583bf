import os

file = open("lost.txt", "w")
file.write("never flushed")
print("printed, not flushed")
os._exit(4)
