import os
import subprocess

listing = os.open("/proc/self/fd", os.O_RDONLY | os.O_DIRECTORY)
fds = sorted(int(name) for name in os.listdir(listing) if int(name) != listing)
os.close(listing)
extra = [fd for fd in fds if fd > 2]
kinds = []
for fd in extra:
    try:
        kinds.append(os.readlink(f"/proc/self/fd/{fd}").split(":")[0])
    except OSError:
        pass
print(fds[:3], kinds)
print(os.readlink("/proc/self/fd/0"))
child = subprocess.run(["ls", "-l", "/proc/self/fd"], close_fds=False, capture_output=True, text=True)
print("socket:" in child.stdout)
