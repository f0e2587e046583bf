from hermes_tools import terminal, write_file


class Thing:
    pass


for value in (b"x", {"x"}, Thing(), ["x", b"y"], 3):
    try:
        print("accepted", write_file("a.txt", value))
    except TypeError as error:
        print(error)
try:
    print("accepted", terminal("true", timeout=b"5"))
except TypeError as error:
    print(error)
