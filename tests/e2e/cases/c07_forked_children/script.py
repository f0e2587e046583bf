import multiprocessing
import os

from hermes_tools import terminal


def work(i):
    try:
        return terminal(f"echo {i}")["output"].strip() == str(i) or "crossed"
    except RuntimeError as error:
        return "fork" in str(error)


print(terminal("echo first")["output"].strip())
with multiprocessing.get_context("fork").Pool(3) as pool:
    print(set(pool.map(work, range(6))))
child = os.fork()
if child == 0:
    os._exit(0 if work(1) is True else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(terminal("echo last")["output"].strip())
