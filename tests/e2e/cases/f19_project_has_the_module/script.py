import hermes_tools

print(hasattr(hermes_tools, "read_file"), hermes_tools.__name__)
