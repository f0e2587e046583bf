import atexit

f = open("log.txt", "w")
f.write("run\n")
atexit.register(lambda: f.write("second handler\n"))
atexit.register(print, "first handler")


@atexit.register
def opens():
    open("made_at_exit.txt", "w").write("late\n")
