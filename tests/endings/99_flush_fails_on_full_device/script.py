f = open("/dev/full", "w")
f.write("no room\n")
g = open("room.txt", "w")
g.write("room\n")
