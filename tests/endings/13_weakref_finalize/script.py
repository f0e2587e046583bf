import weakref


class Thing:
    pass


thing = Thing()
f = open("finalize.txt", "w")
weakref.finalize(thing, f.write, "by finalize\n")
cycle = Thing()
cycle.self = cycle
weakref.finalize(cycle, print, "cycle finalised")
