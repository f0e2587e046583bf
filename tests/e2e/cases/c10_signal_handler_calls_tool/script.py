import signal

from hermes_tools import terminal

answers = []
signal.signal(signal.SIGALRM, lambda *_: answers.append(terminal("echo inner")["output"].strip()))
signal.setitimer(signal.ITIMER_REAL, 0.2)
print(terminal("sleep 0.6; echo outer")["output"].strip(), answers)
