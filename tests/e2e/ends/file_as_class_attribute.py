class Log:
    file = open("class.txt", "w")


Log.file.write("class attribute")
