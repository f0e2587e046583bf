class Odd:
    def __str__(self):
        raise ValueError("no text")


raise SystemExit(Odd())
