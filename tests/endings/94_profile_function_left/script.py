import sys
import threading

calls = open("calls.txt", "w")


def profile(frame, event, arg):
    if event == "call" and frame.f_code.co_name == "work":
        calls.write("call\n")


def work():
    pass


sys.setprofile(profile)
work()
work()
