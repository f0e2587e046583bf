import os
import tempfile

kept = tempfile.NamedTemporaryFile(mode="w", dir=".", prefix="named", delete=False)
os.rename(kept.name, "kept.txt")
kept.write("kept\n")
gone = tempfile.NamedTemporaryFile(mode="w", dir=".")
gone.write("gone\n")
folder = tempfile.TemporaryDirectory(dir=".")
open(os.path.join(folder.name, "inside.txt"), "w").write("x")


class Holder:
    pass


holder = Holder()
holder.me = holder
holder.file = tempfile.NamedTemporaryFile(dir=".")
print(os.path.exists(gone.name), os.path.isdir(folder.name))
