f = open("out.txt", "w")
f.write("kept\n" * 100)
