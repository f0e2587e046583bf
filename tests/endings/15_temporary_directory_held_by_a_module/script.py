import json
import os
import tempfile

json.folder = tempfile.TemporaryDirectory(dir=".")
json.file = tempfile.NamedTemporaryFile(dir=".")
print(os.path.isdir(json.folder.name))
