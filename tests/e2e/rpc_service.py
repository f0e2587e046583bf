# SPDX-License-Identifier: MIT
"""A running `ptc-host rpc` for the checks rpc_*.py: lines out, lines in, nothing left at the end."""
import json
import queue
import subprocess
import threading
import time

from harness import Failure, Run, check_no_survivors, expect

SECONDS_MAX = 60


class Service:
    """The client's side. Lines come in through a thread unless reading=False."""

    def __init__(self, bench, *options, reading=True, **popen):
        self.process = bench.start("rpc", "--no-config", *options, stdin=subprocess.PIPE, **popen)
        self.lines = queue.Queue()
        self.kept = []
        self.last_id = 0
        self.reading = reading
        if reading:
            threading.Thread(target=self._read, daemon=True).start()
            hello = self.next()
            expect(hello.get("type") == "hello" and hello["protocol"] == 1, f"greeting: {hello}")

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **message):
        self.write(json.dumps(message).encode() + b"\n")

    def request(self, method, **fields):
        self.last_id += 1
        self.send(id=self.last_id, method=method, **fields)
        return self.last_id

    def next(self, seconds=SECONDS_MAX):
        """The next line as an object; None at the end of the stream."""
        try:
            line = self.lines.get(timeout=seconds)
        except queue.Empty:
            raise Failure(f"no line within {seconds} s; kept: {str(self.kept)[:2000]}") from None
        if line is None:
            return None
        expect(line.endswith(b"\n"), f"a line without its end: {line[-100:]!r}")
        return json.loads(line.decode("utf-8", "strict"))

    def until(self, wanted):
        """The first message that wanted(message) accepts; the others are kept for later."""
        for i, message in enumerate(self.kept):
            if wanted(message):
                return self.kept.pop(i)
        while True:
            message = self.next()
            expect(message is not None, f"the service has ended; kept: {str(self.kept)[:2000]}")
            if wanted(message):
                return message
            self.kept.append(message)

    def answer(self, number):
        return self.until(lambda m: m["type"] in ("result", "error") and m["id"] == number)

    def result(self, number):
        message = self.answer(number)
        expect(message["type"] == "result", f"an error in the place of a result: {message}")
        return message["result"]

    def error(self, number=None):
        message = self.until(lambda m: m["type"] == "error" and m["id"] == number)
        return message

    def run(self, code, **fields):
        return self.result(self.request("run", code=code, **fields))

    def of_type(self, kind):
        return self.until(lambda m: m["type"] == kind)

    def end(self, exit_code=0, seconds=20, close=True):
        """Closes its standard input, and checks how it ends. Returns what it still said."""
        began = time.monotonic()
        if close:
            self.process.stdin.close()
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure(f"ptc-host rpc has not ended within {seconds} s") from None
        errors = self.process.stderr.read() if self.process.stderr else b""
        run = Run(self.process.args, self.process.returncode, b"", errors,
                  time.monotonic() - began)
        run.need(self.process.returncode == exit_code, f"exit code, not {exit_code}")
        check_no_survivors(run)
        rest = self.kept
        while self.reading and (message := self.next(5)) is not None:
            rest.append(message)
        return rest
