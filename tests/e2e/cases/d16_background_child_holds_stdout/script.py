import subprocess

subprocess.Popen(["sleep", "60"])
print("all of the text " * 100)
