from hermes_tools import search_files

r = search_files("*passwd*", target="files", path="/", limit=20000)
print("error" in r, any(f.startswith(("/proc/", "/sys/", "/dev/")) for f in r["files"]))
print(any(f.startswith("/root/") for f in r["files"]))
