from hermes_tools import json_parse

for bad in ("{bad", '["open', "{} {}"):
    try:
        json_parse(bad)
    except Exception as error:
        print(type(error).__name__, error)
