import time

from hermes_tools import retry

calls = []


def fail():
    calls.append(time.monotonic())
    raise KeyError(f"attempt {len(calls)}")


began = time.monotonic()
try:
    retry(fail, max_attempts=3, delay=0.2)
except KeyError as error:
    print(error, len(calls))
first, second = calls[1] - calls[0], calls[2] - calls[1]
print(0.2 <= first < 0.39, 0.4 <= second < 0.79, time.monotonic() - calls[2] < 0.15)
