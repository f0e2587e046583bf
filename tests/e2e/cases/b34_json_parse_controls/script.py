from hermes_tools import json_parse

print(json_parse('{"a":"x\ty\nz"}') == {"a": "x\ty\nz"})
