for i in range(3):
    file = open("appended.txt", "a", buffering=1)
    file.write(f"line {i}\nrest {i} ")
