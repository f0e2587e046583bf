import contextlib

stack = contextlib.ExitStack()
f = stack.enter_context(open("stack.txt", "w"))
f.write("in the stack\n")
stack.callback(print, "never called")
