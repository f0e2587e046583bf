import sys


def hook(kind, value, trace):
    print("hook:", kind.__name__, value)
    f.write("from the hook\n")


f = open("hook.txt", "w")
sys.excepthook = hook
raise LookupError("seen by the hook")
