from hermes_tools import json_parse

print(json_parse("\ufeff[1, 2]"))
