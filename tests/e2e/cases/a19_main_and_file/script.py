print(__name__)
print(__file__.endswith("script.py"))
if __name__ == "__main__":
    print("guarded body")
import __main__
print(__main__.__dict__ is globals())
