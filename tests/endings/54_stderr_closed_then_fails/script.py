import sys

sys.stderr.close()
raise ValueError("unseen")
