import os

# A comment with a marker that must not be in the command line: m4rker-in-code
cmdline = open("/proc/self/cmdline", "rb").read()
environ = open("/proc/self/environ", "rb").read()
print(b"m4rker" in cmdline, b"h0st-marker" in cmdline + environ)
print(b"h0st-marker" in open("/proc/self/auxv", "rb").read())
print(os.getpid() < 20, os.path.exists(f"/proc/{os.getppid()}/environ"))
