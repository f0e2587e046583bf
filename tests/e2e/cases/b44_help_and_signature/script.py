import inspect

from hermes_tools import read_file, terminal

print(inspect.signature(terminal))
print(list(inspect.signature(read_file).parameters)[:3])
print(bool(terminal.__doc__), terminal.__name__, terminal.__module__)
help(terminal)
