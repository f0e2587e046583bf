#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ptc-host from Python with ctypes alone: no struct by value, no varargs, no macros to translate.

    embed_ctypes.py [PATH OF libptchost.so.0]

A host with a tool that is a Python function, and one run that calls it from two threads. The script
runs in a process of its own; this program's interpreter is not touched.
"""
import ctypes
import json
import sys
from ctypes import POINTER, CFUNCTYPE, byref, c_char, c_char_p, c_int, c_size_t, c_void_p


class Error(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("code", c_int), ("system_errno", c_int),
                ("message", c_char * 1024)]


class RunOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("code", c_char_p), ("code_length", c_size_t),
                ("path", c_char_p), ("argv", POINTER(c_char_p)), ("argc", c_size_t),
                ("argv0", c_char_p), ("settings", c_void_p), ("output", c_void_p),
                ("user", c_void_p), ("event", c_void_p), ("policy", c_void_p),
                ("workspace_fd", c_int), ("tool", c_char_p), ("tool_args_json", c_char_p)]


TOOL_FN = CFUNCTYPE(None, c_void_p, c_void_p)


def load(path):
    ptc = ctypes.CDLL(path)
    for name, result, *arguments in [
            ("ptc_host_new", c_void_p, c_void_p, POINTER(Error)),
            ("ptc_host_free", None, c_void_p),
            ("ptc_host_add_tool", c_int, c_void_p, c_char_p, TOOL_FN, c_void_p, c_void_p,
             POINTER(Error)),
            ("ptc_call_args_json", c_char_p, c_void_p, POINTER(c_size_t)),
            ("ptc_call_reply", c_int, c_void_p, c_char_p, c_size_t),
            ("ptc_run", c_void_p, c_void_p, POINTER(RunOptions), POINTER(Error)),
            ("ptc_result_json", c_char_p, c_void_p, POINTER(c_size_t)),
            ("ptc_result_free", None, c_void_p)]:
        function = getattr(ptc, name)
        function.restype, function.argtypes = result, arguments
    return ptc


def tool(ptc, function):
    """A handler that answers with function(**arguments), or with the words of its exception."""
    @TOOL_FN  # the caller keeps it: what Python forgets cannot be called
    def handle(call, _user):
        try:
            answer = function(**json.loads(ptc.ptc_call_args_json(call, None)))
        except Exception as problem:  # the script's call fails, not this program
            answer = {"error": f"{type(problem).__name__}: {problem}"}
        text = json.dumps(answer).encode()
        ptc.ptc_call_reply(call, text, len(text))
    return handle


SPEC = {"name": "add", "description": "Adds two numbers.",
        "parameters": {"type": "object", "required": ["a", "b"],
                       "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}}
SCRIPT = """
from concurrent.futures import ThreadPoolExecutor
from hermes_tools import add
with ThreadPoolExecutor(2) as pool:
    print(sum(answer['sum'] for answer in pool.map(add, range(10), range(10))))
"""


def main():
    ptc = load(sys.argv[1] if len(sys.argv) > 1 else "libptchost.so.0")
    error = Error(struct_size=ctypes.sizeof(Error))
    host = ptc.ptc_host_new(None, byref(error))
    if not host:
        sys.exit(error.message.decode())
    add = tool(ptc, lambda a, b: {"sum": a + b})
    if ptc.ptc_host_add_tool(host, json.dumps(SPEC).encode(), add, None, None, byref(error)) < 0:
        sys.exit(error.message.decode())
    options = RunOptions(struct_size=ctypes.sizeof(RunOptions), code=SCRIPT.encode(),
                         workspace_fd=-1)
    result = ptc.ptc_run(host, byref(options), byref(error))
    if not result:
        sys.exit(error.message.decode())
    answer = json.loads(ptc.ptc_result_json(result, None))
    ptc.ptc_result_free(result)
    ptc.ptc_host_free(host)
    print(answer["status"] + ":", answer["output"], end="")
    return answer["status"] != "success"


sys.exit(main())
