import os
os.write(1, b"ok \xff\xfe \xc3 end\n")
