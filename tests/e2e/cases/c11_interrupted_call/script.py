import signal

from hermes_tools import terminal


def interrupt(*_):
    raise KeyboardInterrupt


signal.signal(signal.SIGALRM, interrupt)
for i in range(3):
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        print("not interrupted", terminal("sleep 0.4; echo old"))
    except KeyboardInterrupt:
        print("interrupted", terminal(f"echo {i}")["output"].strip())
