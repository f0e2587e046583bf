from hermes_tools import retry

calls = []
print(retry(lambda: calls.append(1) or "value"), len(calls))
