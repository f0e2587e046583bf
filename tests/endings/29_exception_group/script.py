def part(text):
    try:
        raise ValueError(text)
    except ValueError as error:
        return error


raise ExceptionGroup("many", [part("one"), ExceptionGroup("more", [TypeError("two")])])
