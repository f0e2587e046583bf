import hermes_tools

try:
    hermes_tools.read_fil
except AttributeError as error:
    print(error)
hermes_tools.nope
