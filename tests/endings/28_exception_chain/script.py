def first():
    raise KeyError("first")


try:
    try:
        first()
    except KeyError as error:
        raise ValueError("second") from error
except ValueError as error:
    error.add_note("a note")
    raise RuntimeError("third")
