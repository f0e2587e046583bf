import os

child = os.fork()
with open(f"{'child' if child == 0 else 'parent'}.txt", "w") as file:
    file.write("end")
if child:
    os.waitpid(child, 0)
    print("parent")
