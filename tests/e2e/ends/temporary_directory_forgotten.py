import tempfile

folder = tempfile.TemporaryDirectory(dir=".", prefix="scratch")
open(folder.name + "/inside", "w").write("x")
named = tempfile.NamedTemporaryFile("w", dir=".")
named.write("x")
