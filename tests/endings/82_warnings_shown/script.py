import warnings


def old():
    warnings.warn("old", DeprecationWarning, stacklevel=2)


old()
warnings.warn("plain")
x = 1
print("text" is x)
