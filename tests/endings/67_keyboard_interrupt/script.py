f = open("interrupted.txt", "w")
f.write("kept\n")
raise KeyboardInterrupt
