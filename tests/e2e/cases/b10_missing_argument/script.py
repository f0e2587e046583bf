from hermes_tools import read_file, write_file

for function, args, keywords in (
    (write_file, ("a",), {}),
    (read_file, (), {}),
    (read_file, ("a", 1, 2, 3, 4, 5, 6, 7, 8, 9), {}),
    (read_file, ("a",), {"path": "b"}),
    (read_file, ("a",), {"ofset": 2}),
):
    try:
        function(*args, **keywords)
    except TypeError as error:
        print(error)
