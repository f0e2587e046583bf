import os
import time

from hermes_tools import search_files

open("a", "w").write("a" * (1 << 20) + "!\n")
print(search_files("(a+)+$")["error"].split(":")[0])
print(search_files("a(")["error"].split(" ")[0:3])
print(search_files("|".join(f"w{i}" for i in range(100000)))["error"].split(":")[0])
os.symlink(".", "loop")
os.mkfifo("fifo")
print(search_files("b", path="loop/loop")["total_count"], search_files("x", path="fifo")["error"].split("(")[1])
print(search_files("x", path="nothere")["error"])
print([f for f in search_files("../../**", target="files")["files"] if f.startswith("..")])
print(search_files("x", path="/proc/self/environ")["error"].split(":")[0])
