import threading

local = threading.local()
local.file = open("main.txt", "w")
local.file.write("main\n")


def work():
    local.file = open("worker.txt", "w")
    local.file.write("worker\n")


t = threading.Thread(target=work)
t.start()
t.join()
