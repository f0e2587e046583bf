# SPDX-License-Identifier: MIT
"""script_run from outside: test_script.py SCRIPT_RUNNER. What a script sees, what its end is.

The ends that must equal python3's are in tests/endings; here is what python3 does not have (code
that is no file, top-level await) and what must hold whatever python3 does.
"""
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

RUNNER = ""
PYTHON = "/usr/bin/python3.11"


class Result:
    def __init__(self, done):
        self.code = done.returncode
        self.out = done.stdout.decode("utf-8", "backslashreplace")
        self.err = done.stderr.decode("utf-8", "backslashreplace")
        self.last = self.err.strip().rpartition("\n")[2]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="script")
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "script.py")

    def command(self, code, options, arguments):
        with open(self.path, "wb") as file:
            file.write(code if isinstance(code, bytes) else code.encode())
        return [RUNNER, *options, self.path, *arguments]

    def run_bytes(self, code, *arguments, options=(), **more):
        done = subprocess.run(
            self.command(code, options, arguments),
            cwd=self.folder.name,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=100,
            **more,
        )
        return Result(done)

    def run_text(self, code, *arguments, options=(), filename="/work/script.py", **more):
        options = ["--text", "--filename", filename, *options]
        return self.run_bytes(code, *arguments, options=options, **more)


class Source(Case):
    def test_empty_code_ends_well(self):
        for code in ("", "   \n", "# only a comment", "\n\n\n"):
            result = self.run_text(code)
            self.assertEqual((result.code, result.out, result.err), (0, "", ""))

    def test_cookie_counts_in_a_file_and_not_in_text(self):
        code = "# -*- coding: latin-1 -*-\nprint('\u00e9', ascii('\u00e9'))\n"
        self.assertEqual(self.run_text(code).out, "\u00e9 '\\xe9'\n")
        self.assertEqual(self.run_bytes(code.encode("latin-1")).out, "\u00e9 '\\xe9'\n")

    def test_byte_order_mark(self):
        code = b"\xef\xbb\xbfprint('bom')\n"
        self.assertEqual(self.run_text(code).out, "bom\n")
        self.assertEqual(self.run_bytes(code).out, "bom\n")

    def test_nul_is_refused_and_nothing_runs(self):
        for run in (self.run_text, self.run_bytes):
            result = run(b"print('one')\nx = 1\0\nprint('two')\n")
            self.assertEqual((result.code, result.out), (1, ""))
            self.assertEqual(result.last, "SyntaxError: source code cannot contain null bytes")
            self.assertIn("line 2", result.err)

    def test_bad_utf8_in_a_file_is_python3s_error(self):
        code = b"x = 1\nprint('\xe9')\n"
        ours = self.run_bytes(code)
        theirs = subprocess.run([PYTHON, "-I", "-S", self.path], capture_output=True)
        self.assertEqual((ours.code, ours.err), (theirs.returncode, theirs.stderr.decode()))
        self.assertIn("Non-UTF-8 code starting with '\\xe9'", ours.err)

    def test_cookie_that_lies_is_a_syntax_error(self):
        ours = self.run_bytes(b"# coding: utf-8\nprint('\xe9')\n")
        theirs = subprocess.run([PYTHON, "-I", "-S", self.path], capture_output=True)
        self.assertEqual(ours.code, theirs.returncode)
        self.assertEqual(ours.last, theirs.stderr.decode().strip().rpartition("\n")[2])
        ours = self.run_bytes(b"# coding: ascii\nprint('\xe9')\n")
        self.assertEqual((ours.code, ours.out), (1, ""))
        self.assertIn("SyntaxError: 'ascii' codec can't decode byte 0xe9", ours.last)

    def test_unknown_cookie_is_a_syntax_error(self):
        result = self.run_bytes(b"# coding: nonsense\nprint(1)\n")
        self.assertEqual((result.code, result.out), (1, ""))
        self.assertIn("nonsense", result.last)
        self.assertTrue(result.last.startswith("SyntaxError"))

    def test_bad_utf8_in_text_is_a_clear_error(self):
        for code in (b"print('\xff')", b"x = 1\nprint('\xed\xa0\x80')"):
            result = self.run_text(code)
            self.assertEqual((result.code, result.out), (1, ""))
            self.assertIn("SyntaxError: (unicode error) 'utf-8' codec can't decode", result.last)

    def test_line_ends_of_every_kind(self):
        self.assertEqual(self.run_text(b"x = 1\r\nif x:\r\n    print(x)").out, "1\n")
        self.assertEqual(self.run_bytes(b"x = 1\r\nif x:\r\n    print(x)").out, "1\n")
        self.assertEqual(self.run_text(b"\x0cprint(2)").out, "2\n")

    def test_five_megabytes_of_comments(self):
        code = "# a comment of a usual length\n" * (5 * 1024 * 1024 // 30) + "print('end')\n"
        self.assertEqual(self.run_text(code).out, "end\n")
        self.assertEqual(self.run_bytes(code).out, "end\n")

    def test_syntax_error_shows_its_line(self):
        result = self.run_text("print('never')\ndef f(:\n    pass\n")
        self.assertEqual((result.code, result.out), (1, ""))
        self.assertEqual(
            result.err,
            '  File "/work/script.py", line 2\n    def f(:\n          ^\n'
            "SyntaxError: invalid syntax\n",
        )

    def test_deep_nesting_is_pythons_own_error(self):
        for code in (
            "(" * 100000,
            "[" * 150 + "]" * 150 + "\n" + "(" * 250 + ")" * 250,
            "x = " + "-" * 100000 + "1",
            "x = " + "f(" * 5000 + ")" * 5000,
            "".join("    " * i + "if 1:\n" for i in range(150)) + "    " * 150 + "pass",
            "x = 1" + " + 1" * 100000,
            "x = a" + ".a" * 100000,
        ):
            result = self.run_text(code)
            self.assertEqual(result.code, 1, (code[:10], result.err[-300:]))
            kind = result.last.partition(":")[0]
            known = ("SyntaxError", "RecursionError", "MemoryError", "IndentationError")
            self.assertIn(kind, known)


class Module(Case):
    def test_main_has_python3s_attributes(self):
        code = (
            "import sys\nprint(__name__, __file__, sys.modules['__main__'].__dict__ is globals())\n"
            "print(__spec__, __package__, __doc__, __builtins__.__name__, sorted(globals()))\n"
        )
        result = self.run_text(code)
        theirs = subprocess.run([PYTHON, "-I", "-S", self.path], capture_output=True, text=True)
        self.assertEqual(result.out, theirs.stdout.replace(self.path, "/work/script.py"))
        self.assertEqual(self.run_bytes(code).out, theirs.stdout)

    def test_name_is_main(self):
        self.assertEqual(self.run_text("if __name__ == '__main__': print('body')").out, "body\n")

    def test_docstring_and_future(self):
        code = "'''Doc.'''\nfrom __future__ import annotations\nprint(__doc__)\nx: nope = 1\n"
        self.assertEqual(self.run_text(code).out, "Doc.\n")

    def test_arguments(self):
        code = "import sys; print(len(sys.argv), sys.argv[1:], sys.orig_argv[0])"
        self.assertEqual(self.run_text(code).out, f"1 [] {PYTHON}\n")
        self.assertEqual(
            self.run_text(code, "a", "b \u00e9").out, f"3 ['a', 'b \u00e9'] {PYTHON}\n"
        )

    def test_extra_path_comes_after_the_stdlib(self):
        for name in ("json", "own_module"):
            with open(os.path.join(self.folder.name, name + ".py"), "w") as file:
                file.write("print('from the workspace', __name__)\n")
        with open(os.path.join(self.folder.name, "evil.pth"), "w") as file:
            file.write("import sys; print('a .pth line was executed')\n")
        code = "import sys, json, own_module\nprint(json.dumps([1]), '' in sys.path, sys.path[-1])"
        result = self.run_text(code, options=["--path", self.folder.name])
        expected = f"from the workspace own_module\n[1] False {self.folder.name}\n"
        self.assertEqual(result.out, expected)
        self.assertFalse(os.path.exists(os.path.join(self.folder.name, "__pycache__")))

    def test_standard_input_is_empty(self):
        self.assertEqual(self.run_text("import sys; print(repr(sys.stdin.read()))").out, "''\n")
        self.assertEqual(self.run_text("input()").last, "EOFError: EOF when reading a line")

    def test_exit_quit_and_help_work_without_site(self):
        self.assertEqual(self.run_text("exit(4)").code, 4)
        self.assertEqual(self.run_text("quit()").code, 0)
        self.assertEqual(self.run_text("exit('why')").err, "why\n")
        self.assertIn("Return the number of items", self.run_text("help(len)").out)
        self.assertIn("Python Software Foundation", self.run_text("print(copyright)").out)

    def test_classes_of_main_can_be_pickled(self):
        code = (
            "import pickle\nclass A:\n    x = 1\n"
            "print(pickle.loads(pickle.dumps(A())).x, pickle.loads(pickle.dumps(A)) is A)\n"
        )
        self.assertEqual(self.run_text(code).out, "1 True\n")

    def test_builtins_removed_by_the_script(self):
        result = self.run_text("print('one')\n__builtins__ = None\nprint('two')\ndel __builtins__")
        self.assertEqual((result.code, result.out), (0, "one\ntwo\n"))


class Traceback(Case):
    def test_lines_of_code_that_is_no_file(self):
        code = "def inner(x):\n    return 1 / x\n\n\ninner(\n    0)\n"
        expected = (
            "Traceback (most recent call last):\n"
            '  File "/work/script.py", line 5, in <module>\n    inner(\n'
            '  File "/work/script.py", line 2, in inner\n    return 1 / x\n'
            "           ~~^~~\nZeroDivisionError: division by zero\n"
        )
        self.assertEqual(self.run_text(code).err, expected)
        self.assertEqual(self.run_text(code, options=["--preload", "linecache"]).err, expected)

    def test_names_in_brackets(self):
        result = self.run_text("raise KeyError('here')", filename="<script>")
        self.assertIn('  File "<script>", line 1, in <module>\n    raise KeyError', result.err)

    def test_suggestion_is_kept(self):
        result = self.run_text("counter = 1\nprint(countr)")
        last = "NameError: name 'countr' is not defined. Did you mean: 'counter'?"
        self.assertEqual(result.last, last)

    def test_text_beyond_ascii_is_intact(self):
        result = self.run_text("raise RuntimeError('caf\u00e9 \u4e2d\u6587 \U0001f600')")
        self.assertEqual(result.last, "RuntimeError: caf\u00e9 \u4e2d\u6587 \U0001f600")

    def test_output_before_an_exception_is_kept(self):
        result = self.run_text("print('before', end='')\nraise RuntimeError('x')")
        self.assertEqual((result.code, result.out, result.last), (1, "before", "RuntimeError: x"))

    def test_traceback_module_and_inspect_know_the_source(self):
        code = (
            "import traceback, inspect\n"
            "def f():\n    raise ValueError('x')  # this line\n"
            "class C:\n    body = 1\n"
            "try:\n    f()\nexcept ValueError:\n    traceback.print_exc()\n"
            "print(inspect.getsource(f), inspect.getsource(C))\n"
        )
        for options in ((), ("--preload", "traceback,linecache,inspect")):
            result = self.run_text(code, options=options)
            self.assertIn("# this line", result.err)
            self.assertIn("raise ValueError('x')  # this line\n class C:", result.out)

    def test_threads_and_del_show_lines(self):
        code = (
            "import threading\ndef work():\n    raise ValueError('x')  # in the thread\n"
            "t = threading.Thread(target=work, name='T'); t.start(); t.join()\n"
            "class D:\n    def __del__(self):\n        raise ValueError('y')  # in del\n"
            "D()\nprint('goes on')\n"
        )
        result = self.run_text(code)
        self.assertEqual((result.code, result.out), (0, "goes on\n"))
        self.assertIn("Exception in thread T:\nTraceback", result.err)
        self.assertIn("# in the thread\n", result.err)
        self.assertIn("Exception ignored in: <function D.__del__", result.err)
        self.assertIn("# in del\n", result.err)

    def test_none_of_our_frames(self):
        for code in ("1/0", "await x", "import asyncio\nawait asyncio.sleep(0)\n1/0"):
            result = self.run_text(code)
            self.assertEqual(result.err.count("  File "), 1, result.err)
            self.assertIn('  File "/work/script.py"', result.err)

    def test_hook_of_the_script_may_use_the_original(self):
        code = (
            "import sys\ndef hook(*args):\n    print('mine')\n    sys.__excepthook__(*args)\n"
            "sys.excepthook = hook\nraise ValueError('x')  # shown\n"
        )
        result = self.run_text(code)
        self.assertEqual((result.code, result.out), (1, "mine\n"))
        self.assertIn("# shown", result.err)

    def test_error_in_showing_falls_back(self):
        code = (
            "import sys, traceback\ntraceback.TracebackException = None\nsys.modules['re'] = None\n"
            "raise ValueError('still told')\n"
        )
        self.assertEqual(self.run_text(code).last, "ValueError: still told")


class Await(Case):
    def test_top_level_await(self):
        code = "import asyncio\nprint(await asyncio.sleep(0, 'slept'))\nx = 1\nprint(x)\n"
        self.assertEqual(self.run_text(code).out, "slept\n1\n")
        self.assertEqual(self.run_bytes(code).out, "slept\n1\n")

    def test_async_for_with_and_comprehension(self):
        code = (
            "import contextlib\n"
            "async def numbers():\n    for i in range(3):\n        yield i\n"
            "@contextlib.asynccontextmanager\nasync def cm():\n    yield 'cm'\n"
            "async for n in numbers():\n    print(n)\n"
            "async with cm() as c:\n    print(c, [n async for n in numbers()])\n"
        )
        self.assertEqual(self.run_text(code).out, "0\n1\n2\ncm [0, 1, 2]\n")

    def test_exit_and_interrupt_inside(self):
        prefix = "import asyncio, sys\nawait asyncio.sleep(0)\n"
        self.assertEqual(self.run_text(prefix + "sys.exit(7)").code, 7)
        self.assertEqual(self.run_text(prefix + "raise KeyboardInterrupt").code, 130)

    def test_ordinary_asyncio_run_still_works(self):
        code = (
            "import asyncio\nasync def main():\n    return 5\n"
            "if __name__ == '__main__':\n    print(asyncio.run(main()))\n"
        )
        self.assertEqual(self.run_text(code).out, "5\n")


class Output(Case):
    def test_lone_surrogates_do_not_end_the_script(self):
        result = self.run_text("print('a\\ud800b', '\\udcff'); print('next')")
        self.assertEqual((result.code, result.out), (0, "a\\ud800b \\udcff\nnext\n"))

    def test_bytes_pass_unchanged(self):
        done = subprocess.run(
            self.command("import sys; sys.stdout.buffer.write(bytes(range(256)))", (), ()),
            capture_output=True,
        )
        self.assertEqual(done.stdout, bytes(range(256)))

    def test_finished_lines_survive_a_kill(self):
        code = "import os\nprint('one')\nprint('two')\nos.kill(os.getpid(), 9)\n"
        result = self.run_text(code)
        self.assertEqual((result.code, result.out), (137, "one\ntwo\n"))

    def test_order_with_os_write_after_flush(self):
        code = "import os\nprint('a', end='', flush=True)\nos.write(1, b'b')\nprint('c')\n"
        self.assertEqual(self.run_text(code).out, "abc\n")

    def test_descriptor_closed_then_print(self):
        result = self.run_text("import os\nos.close(1)\nprint('x')\n")
        self.assertEqual(result.code, 120)
        self.assertIn("Bad file descriptor", result.err)

    def test_both_streams_in_turn(self):
        code = (
            "import sys\nfor i in range(1000):\n    print('o' * 999)\n"
            "    print('e' * 999, file=sys.stderr)\n"
        )
        result = self.run_text(code)
        self.assertEqual((len(result.out), len(result.err)), (1000000, 1000000))


class End(Case):
    def test_codes(self):
        for code, expected in (
            ("import sys; sys.exit(3)", 3),
            ("import sys; sys.exit('bad')", 1),
            ("raise SystemExit", 0),
            ("import os; os._exit(9)", 9),
            ("import os; os.abort()", 134),
            ("def f(:", 1),
        ):
            self.assertEqual(self.run_text(code).code, expected, code)

    def test_signal_from_outside(self):
        code = "import signal, time\nprint('ready', flush=True)\ntime.sleep(50)\n"
        for number, expected in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            child = subprocess.Popen(
                self.command(code, ("--text",), ()), stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            child.stdout.readline()
            with open(f"/proc/{child.pid}/task/{child.pid}/children") as file:
                os.kill(int(file.read()), number)
            _, errors = child.communicate(timeout=50)
            self.assertEqual(child.returncode, expected)
            self.assertEqual(b"KeyboardInterrupt" in errors, number == signal.SIGINT)

    def test_threads_are_joined_also_after_a_warm_up(self):
        code = (
            "import threading, time, atexit\natexit.register(print, 'atexit')\n"
            "threading.Thread(target=lambda: (time.sleep(0.3), print('late'))).start()\n"
        )
        for options in ((), ("--time",), ("--time", "--preload", "threading")):
            self.assertEqual(self.run_text(code, options=options).out, "late\natexit\n")

    def test_warm_up_leaves_no_trace(self):
        code = "import sys\nprint('x' in globals(), sys.modules['__main__'].__file__)\n"
        result = self.run_text(code, options=["--time"])
        self.assertEqual(result.out, "False /work/script.py\n")

    def test_daemon_thread_that_holds_a_lock_for_ever(self):
        code = (
            "import os, threading, time\nr, w = os.pipe()\nf = open(w, 'wb')\n"
            "def work():\n    f.write(b'x' * 10_000_000)\n"
            "threading.Thread(target=work, daemon=True).start()\ntime.sleep(0.2)\n"
            "kept = open('kept.txt', 'w'); kept.write('kept')\nprint('end')\n"
        )
        before = time.monotonic()
        result = self.run_text(code)
        self.assertEqual((result.code, result.out), (0, "end\n"))
        self.assertLess(time.monotonic() - before, 50)

    def test_daemon_threads_that_go_on_working(self):
        code = (
            "import threading\ndef work():\n    while True:\n        [str(i) for i in range(100)]\n"
            "        open('/dev/null', 'w').write('x')\n"
            "for i in range(8):\n    threading.Thread(target=work, daemon=True).start()\n"
            "print('end')\n"
        )
        for _ in range(5):
            result = self.run_text(code)
            self.assertEqual((result.code, result.out), (0, "end\n"))

    def test_many_objects_at_the_end(self):
        code = "x = [[i] for i in range(300000)]\nopen('many.txt', 'w').write('kept')\nprint('end')"
        self.assertEqual(self.run_text(code).out, "end\n")


class Stack(Case):
    DEEP = "class A:\n    def __repr__(self):\n        return repr(self)\n"

    def test_recursion_is_an_error_on_a_small_stack(self):
        def small():
            resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, 1 << 20))

        for code in (
            self.DEEP + "repr(A())",
            "def f(): return f()\nf()",
            "import re\ndef f(m): return re.sub('x', f, 'x')\nf(0)",
            "import json\nx = []\nfor i in range(100000): x = [x]\njson.dumps(x)",
            "def f(): return sorted([1], key=lambda x: f())\nf()",
        ):
            for limits in (None, small):
                result = self.run_text(code, preexec_fn=limits)
                self.assertEqual(result.code, 1, (code, limits, result.err[-300:]))
                self.assertIn("RecursionError", result.last)


if __name__ == "__main__":
    RUNNER = os.path.abspath(sys.argv.pop(1))
    unittest.main()
