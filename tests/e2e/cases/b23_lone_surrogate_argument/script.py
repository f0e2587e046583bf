from hermes_tools import terminal, write_file

for call in (lambda: write_file("a.txt", "x\ud800y"), lambda: terminal("echo \udfff"),
             lambda: write_file("b\ud801.txt", "x")):
    try:
        result = call()
        print("dict" if isinstance(result, dict) else result)
    except ValueError as error:
        print("ValueError", "surrogate" in str(error))
print(terminal("echo alive")["output"].strip())
