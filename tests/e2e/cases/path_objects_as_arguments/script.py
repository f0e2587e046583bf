from pathlib import Path

from hermes_tools import read_file

print(read_file(Path("sub") / "a.txt")["content"])
