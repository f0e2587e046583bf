from hermes_tools import read_file

try:
    result = read_file("small.txt", offset=True)
    print("said" if "error" in result or "_warning" in result else "silent")
except TypeError as error:
    print("said")
