import sys


def hook(kind, value, trace):
    print("hook", kind.__name__, value)


sys.excepthook = hook
raise LookupError("seen by the hook")
