import os

from hermes_tools import write_file

for megabytes in (1, 8, 32):
    size = megabytes * 1024 * 1024 - 1
    result = write_file("big.txt", "z" * size + "\n")
    print(megabytes, "error" in result and result["error"], os.path.getsize("big.txt"))
    os.unlink("big.txt")
