#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A whole client of `ptc-host rpc` in Python: it runs scripts that call functions of this program.

    rpc_client.py [PTC_HOST]
"""
import json
import subprocess
import sys


class PtcHost:
    def __init__(self, program="ptc-host", *options):
        self.process = subprocess.Popen([program, "rpc", *options], text=True, encoding="utf-8",
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.functions, self.last_id = {}, 0
        hello = json.loads(self.process.stdout.readline() or '{"protocol": 0}')
        if hello["protocol"] != 1:
            raise RuntimeError(f"{program} speaks another protocol: {hello}")

    def send(self, **message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def request(self, method, **fields):
        """Sends it, serves the calls that come meanwhile, returns the result."""
        self.last_id += 1
        self.send(id=self.last_id, method=method, **fields)
        for line in self.process.stdout:
            message = json.loads(line)
            if message["type"] == "call":
                self.serve(message["call"], message["tool"], message["args"])
            elif message["type"] == "event" and message["event"] == "output":
                print(message["data"], end="", flush=True)
            elif message["type"] == "error":
                raise RuntimeError(f"{message['code']}: {message['message']}")
            elif message["type"] == "result" and message["id"] == self.last_id:
                return message["result"]
        raise EOFError("ptc-host has ended")

    def serve(self, call, tool, args):
        try:
            self.send(method="reply", call=call, result=self.functions[tool](**args))
        except Exception as error:  # the script gets it as a ToolError
            self.send(method="reply", call=call, error=f"{type(error).__name__}: {error}")

    def tool(self, function, **properties):
        self.functions[function.__name__] = function
        self.request("register_tool", name=function.__name__, description=function.__doc__,
                     parameters={"type": "object", "properties": properties,
                                 "required": list(properties)})

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


def price(article):
    """The price of an article in cents."""
    return {"cents": {"apple": 30, "pear": 45}[article]}


SCRIPT = """
from hermes_tools import price, ToolError
print("together:", price("apple")["cents"] + price("pear")["cents"])
try:
    price("melon")
except ToolError as error:
    print("refused:", error)
"""

if __name__ == "__main__":
    host = PtcHost(*sys.argv[1:2])
    host.tool(price, article={"type": "string"})
    result = host.request("run", code=SCRIPT, events=["output"], options={"timeout": 30})
    print("status:", result["status"], "calls:", result["tool_calls_made"])
    sys.exit(host.close())
