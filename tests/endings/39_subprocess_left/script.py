import subprocess
import sys

p = subprocess.Popen([sys.executable, "-I", "-S", "-c", "input(); open('sub.txt', 'w').write('x')"], stdin=subprocess.PIPE)
p.stdin.write(b"buffered line\n")
import atexit

atexit.register(p.wait)
atexit.register(p.stdin.close)
