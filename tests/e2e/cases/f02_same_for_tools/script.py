from hermes_tools import terminal

wanted = "PATH HOME LANG LC_ALL TERM TMPDIR USER SHELL".split()
print([name for name in wanted if not terminal(f"printenv {name}")["output"].strip()])
