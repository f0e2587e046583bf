a = open("same.txt", "w")
b = open("same.txt", "a")
a.write("first\n")
b.write("second\n")
