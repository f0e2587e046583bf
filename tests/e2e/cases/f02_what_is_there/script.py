import os

wanted = "PATH HOME LANG LC_ALL TERM TMPDIR USER SHELL".split()
print([name for name in wanted if not os.environ.get(name)])
print(os.path.isdir(os.environ["TMPDIR"]), os.access(os.environ["TMPDIR"], os.W_OK))
