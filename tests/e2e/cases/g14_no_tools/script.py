import hermes_tools

names = "web_search web_extract read_file write_file search_files patch terminal".split()
print([name for name in names if hasattr(hermes_tools, name)], hermes_tools.json_parse("1"))
try:
    from hermes_tools import read_file
except ImportError as error:
    print("ImportError", "read_file" in str(error))
