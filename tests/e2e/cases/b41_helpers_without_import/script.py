print(json_parse("{}"), shell_quote("a b"), retry(lambda: 5))
