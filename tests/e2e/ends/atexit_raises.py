import atexit

file = open("kept.txt", "w")
file.write("kept")
atexit.register(print, "the next handler still runs")
atexit.register(lambda: 1 / 0)
