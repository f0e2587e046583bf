import os

print(os.listdir("."), os.getcwd() == os.environ.get("PWD", os.getcwd()))
open("made.txt", "w").write("x")
print(os.path.exists("script.py"))
