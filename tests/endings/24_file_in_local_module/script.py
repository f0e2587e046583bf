import os
import sys

with open("helper_of_run.py", "w") as f:
    f.write("out = open('from_module.txt', 'w')\nout.write('module level\\n')\n")
    f.write("class D:\n    def __del__(self):\n        print('module object gone', out.closed)\n")
    f.write("d = D()\n")
sys.path.append(os.getcwd())
import helper_of_run

helper_of_run.out.write("more\n")
