import contextlib

stack = contextlib.ExitStack()
file = stack.enter_context(open("stack.txt", "w"))
file.write("x" * 10000)
