def inner():
    raise RuntimeError("here it is")


inner()
