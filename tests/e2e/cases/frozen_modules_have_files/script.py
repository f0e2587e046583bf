import codecs
import inspect
import os
import sys

print(os.__file__ == os.path.join(os.path.dirname(inspect.__file__), "os.py"))
print(codecs.__file__.endswith("/codecs.py"), "def makedirs" in inspect.getsource(os))
print(sys.prefix == sys.base_prefix == sys.exec_prefix, os.path.isdir(sys.prefix))
