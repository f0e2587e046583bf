class Odd(Exception):
    pass


Odd.__module__ = "some.where"
error = Odd("one\ntwo\n\nthree")
error.add_note("note one")
error.add_note("note two\nwith a second line")
raise error
