import threading

threading.Thread(target=lambda: 1 / 0).start()
file = open("main.txt", "w")
file.write("main")
