import contextvars

var = contextvars.ContextVar("var")
var.set(open("context.txt", "w"))
var.get().write("in a context\n")
