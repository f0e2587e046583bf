#!/usr/bin/python3.11
# SPDX-License-Identifier: MIT
"""whole_api.py HEADER LIBRARY CHILD: drives the whole C API from Python with ctypes.

The prototypes are read from the header: everything that crosses is an integer, a double or a pointer,
so that any language with a C FFI can do the same. At the end every exported function was called.
"""
import ctypes
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from ctypes import CFUNCTYPE, POINTER, byref, c_char, c_char_p, c_double, c_int, c_size_t
from ctypes import c_uint64, c_void_p

HEADER, LIBRARY, CHILD = sys.argv[1:4]
TEXT = open(HEADER, encoding="utf-8").read()
CALLED = set()

OUTPUT_FN = CFUNCTYPE(None, c_void_p, c_int, c_void_p, c_size_t)
EVENT_FN = CFUNCTYPE(None, c_void_p, c_void_p)
POLICY_FN = CFUNCTYPE(c_int, c_void_p, c_void_p)
TOOL_FN = CFUNCTYPE(None, c_void_p, c_void_p)
LOG_FN = CFUNCTYPE(None, c_void_p, c_int, c_char_p)
DESTROY_FN = CFUNCTYPE(None, c_void_p)

CALLBACKS = {"ptc_output_fn": OUTPUT_FN, "ptc_event_fn": EVENT_FN, "ptc_policy_fn": POLICY_FN,
             "ptc_tool_fn": TOOL_FN, "ptc_log_fn": LOG_FN}
SCALARS = {"void": None, "int": c_int, "size_t": c_size_t, "uint64_t": c_uint64,
           "double": c_double}


# ---- the header ----

def code_of_header():
    text = re.sub(r"/\*.*?\*/", " ", TEXT, flags=re.S)
    return re.sub(r"^\s*#(?:.*\\\n)*.*$", "", text, flags=re.M)


def type_of(text, returned=False):
    """ctypes' type for a C type; KeyError for everything that an FFI finds hard."""
    text = " ".join(re.sub(r"\bconst\b", " ", text).split())
    if "*" in text:
        # Returned texts stay pointers where they are to be freed or may hold NULs.
        return c_char_p if text == "char *" and not returned else c_void_p
    if text in CALLBACKS:
        return CALLBACKS[text]
    return SCALARS[text]


def split_arguments(text):
    if text.strip() == "void":
        return []
    return [part.strip() for part in re.split(r",(?![^(]*\))", text)]


def argument_type(text):
    if re.match(r"void \(\*\w+\)\(void \*\w*\)$", text):
        return DESTROY_FN
    match = re.match(r"(.*?[\s*])(\w+)$", text, re.S)
    return type_of(match.group(1))


def prototypes():
    found = {}
    for result, name, arguments in re.findall(
            r"PTC_API\s+([\w\s*]+?)\s*\b(ptc_\w+)\s*\((.*?)\)\s*;", code_of_header(), re.S):
        assert "..." not in arguments, f"{name} takes varargs"
        types = [argument_type(" ".join(a.split())) for a in split_arguments(arguments)]
        found[name] = (type_of(result, returned=True), types)
    return found


class Library:
    """The functions by name without ptc_; each use is noted."""

    def __init__(self, path):
        library = ctypes.CDLL(path)
        for name, (result, arguments) in prototypes().items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name.removeprefix("ptc_"), self.noted(name, function))

    @staticmethod
    def noted(name, function):
        def call(*arguments):
            CALLED.add(name)
            return function(*arguments)
        return call


class Error(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("code", c_int), ("system_errno", c_int),
                ("message", c_char * 1024)]


class OptionInfo(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("value_name", c_char_p),
                ("default_value", c_char_p), ("help", c_char_p), ("repeatable", c_int)]


class HostOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("child_path", c_char_p), ("settings", c_void_p),
                ("log", LOG_FN), ("log_user", c_void_p), ("log_level", c_int),
                ("sessions_dir", c_char_p)]


class Event(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("type", c_int), ("run", c_void_p), ("stream", c_int),
                ("ok", c_int), ("call", c_uint64), ("duration_us", c_uint64), ("tool", c_char_p),
                ("data", c_void_p), ("length", c_size_t)]


class RunOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("code", c_char_p), ("code_length", c_size_t),
                ("path", c_char_p), ("argv", POINTER(c_char_p)), ("argc", c_size_t),
                ("argv0", c_char_p), ("settings", c_void_p), ("output", OUTPUT_FN),
                ("user", c_void_p), ("event", EVENT_FN), ("policy", POLICY_FN),
                ("workspace_fd", c_int), ("tool", c_char_p), ("tool_args_json", c_char_p)]


def number(name):
    return int(re.search(rf"\b{name}\s*=\s*(-?\d+)", TEXT).group(1))


STATE, INVALID, NOT_FOUND = (number(f"PTC_E_{n}") for n in ("STATE", "INVALID", "NOT_FOUND"))
ALLOW, DENY, ASK = (number(f"PTC_{n}") for n in ("ALLOW", "DENY", "ASK"))
OUTPUT, STARTED, ENDED_CALL, BEAT, ENDED = (number(f"PTC_EVENT_{n}") for n in (
    "OUTPUT", "CALL_STARTED", "CALL_ENDED", "HEARTBEAT", "ENDED"))

ptc = Library(LIBRARY)
SPEC = {"name": "own", "description": "Says it again.", "flags": ["parallel_safe"],
        "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}}}


def text(pointer):
    return ctypes.string_at(pointer).decode() if pointer else None


def sized(getter, handle):
    """What a getter with a length gives, checked against the C string."""
    length = c_size_t()
    pointer = getter(handle, byref(length))
    if not pointer:
        return None
    whole = ctypes.string_at(pointer, length.value)
    assert ctypes.string_at(pointer) == whole.split(b"\0")[0]  # NUL-terminated, too
    return whole.decode()


def owned(pointer):
    assert pointer
    try:
        return ctypes.string_at(pointer).decode()
    finally:
        ptc.free(pointer)


class Case(unittest.TestCase):
    def setUp(self):
        self.error = Error(struct_size=ctypes.sizeof(Error))
        self.folder = tempfile.TemporaryDirectory()
        self.settings = ptc.settings_new(byref(self.error))
        self.set("workspace", self.folder.name)
        self.log, self.kept = [], []
        self.options = HostOptions(
            struct_size=ctypes.sizeof(HostOptions), child_path=CHILD.encode(),
            settings=self.settings, log=self.keep(LOG_FN(
                lambda user, level, line: self.log.append(line.decode()))),
            log_level=number("PTC_LOG_DEBUG"),
            sessions_dir=os.path.join(self.folder.name, "sessions").encode())
        self.host = ptc.host_new(byref(self.options), byref(self.error))
        self.assertTrue(self.host, self.error.message)

    def tearDown(self):
        ptc.host_free(self.host)
        ptc.settings_free(self.settings)
        self.folder.cleanup()

    def keep(self, callback):
        self.kept.append(callback)
        return callback

    def set(self, name, value, code=0):
        got = ptc.settings_set(self.settings, name.encode(), value.encode(), byref(self.error))
        self.assertEqual(got, code, self.error.message)

    def add(self, handler, destroy=None):
        code = ptc.host_add_tool(self.host, json.dumps(SPEC).encode(), self.keep(TOOL_FN(handler)),
                                 None, self.keep(DESTROY_FN(destroy or (lambda user: None))),
                                 byref(self.error))
        self.assertEqual(code, 0, self.error.message)

    def run_options(self, code=None, **more):
        return RunOptions(struct_size=ctypes.sizeof(RunOptions), workspace_fd=-1,
                          code=code.encode() if code is not None else None,
                          settings=self.settings, **more)

    def ran(self, options):
        result = ptc.run(self.host, byref(options), byref(self.error))
        self.assertTrue(result, self.error.message)
        self.addCleanup(ptc.result_free, result)
        return result

    def wait(self, run):
        poll = select.poll()
        poll.register(ptc.host_fd(self.host), select.POLLIN)
        while not ptc.run_result(run):
            poll.poll(ptc.host_timeout_ms(self.host))
            self.assertGreaterEqual(ptc.host_dispatch(self.host, 1000), 0)
        return ptc.run_result(run)


class Settings(Case):
    def test_by_name_json_and_file(self):
        self.set("timeout", "30")
        self.set("timeot", "30", INVALID)
        self.assertIn(b"timeout", self.error.message)
        given = b'{"timeout": 20, "env": ["A=b"]}'
        self.assertEqual(ptc.settings_set_json(self.settings, given, len(given), None), 0)
        path = os.path.join(self.folder.name, "config.json")
        self.assertEqual(ptc.settings_load(self.settings, path.encode(), byref(self.error)),
                         NOT_FOUND)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"run": {"max_tool_calls": 3}}, file)
        self.assertEqual(ptc.settings_load(self.settings, path.encode(), byref(self.error)), 0)
        copy = ptc.settings_copy(self.settings, byref(self.error))
        result = self.ran(self.run_options("import os; print(os.environ['A'])"))
        self.assertEqual(sized(ptc.result_output, result), "b\n")
        ptc.settings_free(copy)
        ptc.settings_free(None)

    def test_option_table(self):
        names, index, helped = [], 0, 0
        while pointer := ptc.option_info_at(index):
            info = ctypes.cast(pointer, POINTER(OptionInfo)).contents
            self.assertEqual(info.struct_size, ctypes.sizeof(OptionInfo))
            names.append(info.name.decode())
            helped += bool(info.help)
            index += 1
        self.assertGreater(helped, 10)
        self.assertIn("max_tool_calls", names)
        self.assertEqual(len(names), len(set(names)))


class Blocking(Case):
    def test_getters(self):
        result = self.ran(self.run_options(
            "import sys\nprint('out\\0put', *sys.argv)\nsys.stderr.write('warn')\nsys.exit(3)",
            argv=(c_char_p * 2)(b"a", "\u00e9".encode()), argc=2))
        whole = json.loads(sized(ptc.result_json, result))
        self.assertEqual(text(ptc.result_status(result)), "error")
        self.assertTrue(sized(ptc.result_output, result).startswith("out\0put script.py a \u00e9\n"))
        self.assertEqual(sized(ptc.result_stderr, result), "warn")
        self.assertEqual(text(ptc.result_error(result)), whole["error"])
        self.assertEqual(ptc.result_exit_code(result), 3)
        self.assertEqual(ptc.result_tool_calls(result), 0)
        self.assertEqual(ptc.result_duration_seconds(result), whole["duration_seconds"])
        self.assertIsNone(text(ptc.result_signal(result)))
        self.assertIsNone(sized(ptc.result_value_json, result))
        result = self.ran(self.run_options("import os; os.kill(os.getpid(), 11)"))
        self.assertEqual(text(ptc.result_signal(result)), "SIGSEGV")
        result = self.ran(self.run_options("pass"))
        self.assertIn("print", text(ptc.result_hint(result)))

    def test_file_session_and_open_directory(self):
        path = os.path.join(self.folder.name, "script file.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("import os; print(os.path.basename(__file__))")
        result = self.ran(self.run_options(path=path.encode()))
        self.assertEqual(sized(ptc.result_output, result), "script file.py\n")
        fd = os.open(self.folder.name, os.O_RDONLY | os.O_DIRECTORY)
        options = self.run_options("import os; print(os.listdir())")
        options.workspace_fd = fd
        self.assertIn("script file.py", sized(ptc.result_output, self.ran(options)))
        os.close(fd)

    def test_tool_call(self):
        result = ptc.tool_call(self.host, self.settings, b"terminal", b'{"command": "echo hi"}',
                               byref(self.error))
        self.assertEqual(json.loads(sized(ptc.result_value_json, result))["output"], "hi")
        self.assertEqual(ptc.result_tool_calls(result), 1)
        ptc.result_free(result)
        self.assertFalse(ptc.tool_call(self.host, None, b"nothing", None, byref(self.error)))
        self.assertEqual(self.error.code, INVALID)

    def test_texts(self):
        self.add(lambda call, user: None)
        self.assertIn("own", owned(ptc.schema_json(self.host, None, b"openai", byref(self.error))))
        self.assertIn("def own", owned(ptc.stub_text(self.host, self.settings, byref(self.error))))
        self.assertFalse(ptc.schema_json(self.host, None, b"what", byref(self.error)))
        self.ran(self.run_options("print(1)"))
        stats = json.loads(owned(ptc.host_stats_json(self.host)))
        self.assertEqual((stats["runs_started"], stats["runs_active"]), (1, 0))
        features = json.loads(owned(ptc.features_json()))
        self.assertEqual(features["version"], text(ptc.version()))
        self.assertEqual(text(ptc.version()), ".".join(
            re.search(rf"PTC_VERSION_{part} (\d+)", TEXT).group(1)
            for part in ("MAJOR", "MINOR", "PATCH")))
        ptc.free(None)
        ptc.result_free(None)
        ptc.run_free(None)
        ptc.host_free(None)

    def test_log(self):
        options = HostOptions(struct_size=ctypes.sizeof(HostOptions), child_path=b"/bin/false",
                              settings=self.settings, log=self.options.log, log_level=3)
        other = ptc.host_new(byref(options), byref(self.error))
        result = ptc.run(other, byref(self.run_options("print(1)")), byref(self.error))
        self.assertEqual(text(ptc.result_status(result)), "sandbox_unavailable")
        ptc.result_free(result)
        for _ in range(200):  # the run may end before the helper program's death is noticed
            if not self.log:
                time.sleep(0.01)
                ptc.host_dispatch(other, 0)
        ptc.host_free(other)
        self.assertTrue(self.log)


class Callbacks(Case):
    def test_tools_answer_now_later_and_from_a_thread(self):
        destroyed, threads = [], []

        def answer(call):
            args = json.loads(sized(ptc.call_args_json, call))
            reply = json.dumps({"tool": text(ptc.call_tool(call)), "twice": 2 * args["x"],
                                "number": ptc.call_number(call)}).encode()
            self.assertEqual(ptc.call_reply(call, reply, len(reply)), 0)

        def handler(call, _user):
            if json.loads(sized(ptc.call_args_json, call))["x"] % 2:
                threads.append(threading.Timer(0.02, answer, [call]))
                threads[-1].start()
            else:
                answer(call)
        self.add(handler, lambda user: destroyed.append(1))
        result = self.ran(self.run_options(
            "from hermes_tools import own\n"
            "answers = [own(x=i) for i in range(6)]\n"
            "print([(a['twice'], a['number']) for a in answers])"))
        self.assertEqual(sized(ptc.result_output, result),
                         f"{[(2 * i, i + 1) for i in range(6)]}\n")
        for thread in threads:
            thread.join()
        ptc.host_free(self.host)
        self.assertEqual(destroyed, [1])
        self.host = ptc.host_new(byref(self.options), None)

    def test_late_reply(self):
        calls = []
        self.add(lambda call, user: calls.append(call))
        run = ptc.run_start(self.host, byref(self.run_options(
            "from hermes_tools import own\nown(x=1)")), byref(self.error))
        while not calls:
            time.sleep(0.001)
            ptc.host_dispatch(self.host, 0)
        ptc.run_free(run)
        self.assertEqual(ptc.call_reply(calls[0], b"1", 1), STATE)

    def test_events_and_output_in_a_loop(self):
        events, printed = [], []

        def on_event(user, pointer):
            event = ctypes.cast(pointer, POINTER(Event)).contents
            self.assertGreaterEqual(event.struct_size, ctypes.sizeof(Event))
            self.assertEqual((event.run, user), (run, 4711))
            data = ctypes.string_at(event.data, event.length) if event.data else None
            events.append((event.type, event.call, event.tool, data))

        def on_output(user, stream, data, length):
            printed.append((user, stream, ctypes.string_at(data, length)))
        self.add(lambda call, user: ptc.call_reply(call, b"{}", 2))
        self.set("heartbeat", "0.05")
        options = self.run_options(
            "import time\nfrom hermes_tools import own\nown(x=5)\nprint('hi')\ntime.sleep(0.2)",
            user=4711, event=self.keep(EVENT_FN(on_event)), output=self.keep(OUTPUT_FN(on_output)))
        run = ptc.run_start(self.host, byref(options), byref(self.error))
        result = self.wait(run)
        self.assertEqual(text(ptc.result_status(result)), "success")
        self.assertEqual([e for e in events if e[0] != BEAT],
                         [(STARTED, 1, b"own", b'{"x":5}'), (ENDED_CALL, 1, b"own", None),
                          (OUTPUT, 0, None, b"hi\n"), (ENDED, 0, None, None)])
        self.assertIn((BEAT, 0, None, None), events)
        self.assertEqual(printed, [(4711, 1, b"hi\n")])
        ptc.run_free(run)

    def test_policy(self):
        def policy(call, user):
            self.assertEqual(ptc.call_run_user(call), user)
            x = json.loads(sized(ptc.call_args_json, call))["x"]
            if x == 2:
                threading.Timer(0.05, ptc.call_decide, [call, ALLOW, None]).start()
            elif x == 3:
                ptc.call_decide(call, DENY, b"no threes")
            return [ALLOW, DENY, ASK, ASK][x]
        self.add(lambda call, user: ptc.call_reply(call, b'{"fine": 1}', 11))
        result = self.ran(self.run_options(
            "from hermes_tools import own, ToolError\n"
            "for x in range(4):\n"
            "    try: print(own(x=x))\n"
            "    except ToolError as e: print(e)",
            user=99, policy=self.keep(POLICY_FN(policy))))
        self.assertEqual(sized(ptc.result_output, result),
                         "{'fine': 1}\nown was denied by the policy of this run\n{'fine': 1}\n"
                         "own was denied: no threes\n")

    def test_cancel(self):
        options = self.run_options("import time\ntime.sleep(60)")
        runs = [ptc.run_start(self.host, byref(options), byref(self.error)) for _ in range(2)]
        threading.Timer(0.1, ptc.run_cancel, [runs[0], b"enough"]).start()
        self.assertIn("enough", text(ptc.result_error(self.wait(runs[0]))))
        ptc.host_cancel_all(self.host)
        self.assertEqual(text(ptc.result_status(self.wait(runs[1]))), "interrupted")
        for run in runs:
            ptc.run_free(run)


class Whole(unittest.TestCase):
    """Runs last."""

    def test_every_exported_function_was_called(self):
        listing = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], check=True,
                                 capture_output=True, text=True).stdout
        exported = {line.split()[-1].split("@")[0] for line in listing.splitlines()
                    if " T " in line}
        self.assertEqual(exported, set(prototypes()))
        self.assertEqual(exported - CALLED, set())


if __name__ == "__main__":
    suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case)
                               for case in (Settings, Blocking, Callbacks, Whole))
    sys.exit(not unittest.TextTestRunner().run(suite).wasSuccessful())
