import locale
import sys

with open("out.txt", "w") as file:
    file.write("é漢")
print("é漢", open("out.txt", "rb").read() == "é漢".encode(), sys.flags.utf8_mode)
