from hermes_tools import patch, web_extract, web_search

for result in (web_search("x"), web_extract(["http://example.org"]), patch("a", "b", "c")):
    print(type(result).__name__, "not built yet" in result["error"])
