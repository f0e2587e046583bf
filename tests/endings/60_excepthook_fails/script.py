import sys


def hook(kind, value, trace):
    raise TypeError("the hook failed")


sys.excepthook = hook
raise LookupError("original")
