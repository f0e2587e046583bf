import contextlib

f = open("redirected.txt", "w")
cm = contextlib.redirect_stdout(f)
cm.__enter__()
print("into the file")
