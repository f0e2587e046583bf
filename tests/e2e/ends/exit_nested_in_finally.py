import sys

try:
    sys.exit(2)
finally:
    with open("finally.txt", "w") as file:
        file.write("finally")
    print("finally")
