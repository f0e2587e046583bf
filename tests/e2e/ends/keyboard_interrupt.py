file = open("interrupted.txt", "w")
file.write("written before")
print("before")
raise KeyboardInterrupt
