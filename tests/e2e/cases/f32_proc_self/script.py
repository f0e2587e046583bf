import os


# A comment with a marker that must not be in the command line: m4rker-in-code
def read(name):
    try:
        return open(f"/proc/self/{name}", "rb").read()
    except PermissionError:
        return b""  # refused altogether: nothing to find either


everything = b"".join(map(read, ("cmdline", "environ", "auxv", "comm", "mountinfo", "status")))
print(b"m4rker" in everything, b"h0st-marker" in everything, b"python" in everything.lower())
fds = [os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd") if int(n) < 3]
print(len(fds), "/dev/null" in fds)
