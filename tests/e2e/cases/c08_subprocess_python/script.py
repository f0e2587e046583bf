import subprocess
import sys

done = subprocess.run([sys.executable, "-c", "import hermes_tools"], capture_output=True, text=True,
                      timeout=20)
print(done.returncode, done.stderr.strip().splitlines()[-1])
