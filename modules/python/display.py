# SPDX-License-Identifier: MIT
"""What CPython 3.11 and 3.12 print for uncaught exceptions, with source lines from linecache.

3.13 does this by itself. Compiled at the first use, inside a run; each hook writes once, so that
the texts of threads do not mix. Names from outside: original_excepthook.
"""
import io
import sys
import traceback


def suggestion_of(kind, value, trace):
    """". Did you mean: 'x'?", which only C code appends in 3.11 and traceback.py since 3.12."""
    if sys.version_info >= (3, 12) or not isinstance(value, (NameError, AttributeError)):
        return ""
    words = io.StringIO()
    stderr, sys.stderr = sys.stderr, words
    try:
        original_excepthook(kind, value, trace)
    finally:
        sys.stderr = stderr
    mark = ". Did you mean: "
    tail = words.getvalue().rstrip("\n").rpartition(mark)
    return mark + tail[2] if tail[1] and "\n" not in tail[2] else ""


def text_of(kind, value, trace):
    report = traceback.TracebackException(kind, value, trace)
    if trace is None:
        report.stack = None
    text = "".join(report.format())
    suggestion = suggestion_of(kind, value, trace)
    if suggestion and not text.endswith(suggestion + "\n"):
        text = text.rstrip("\n") + suggestion + "\n"
    return text


def write(text):
    if sys.stderr is not None:
        sys.stderr.write(text)
        sys.stderr.flush()


def excepthook(kind, value, trace):
    write(text_of(kind, value, trace))


def thread_excepthook(args):
    if args.exc_type is SystemExit:
        return
    name = args.thread.name if args.thread is not None else None
    heading = f"Exception in thread {name}:\n"
    write(heading + text_of(args.exc_type, args.exc_value, args.exc_traceback))


def text_or(convert, thing, otherwise):
    try:
        return convert(thing)
    except Exception:
        return otherwise


def unraisablehook(args):
    """C code again: no chain, and ": " also after an exception without text."""
    subject = text_or(repr, args.object, "<object repr() failed>")
    text = f"{args.err_msg or 'Exception ignored in'}: {subject}\n"
    if args.object is None:
        text = f"{args.err_msg}:\n" if args.err_msg else ""
    if args.exc_traceback is not None:
        text += "Traceback (most recent call last):\n"
        text += "".join(traceback.format_tb(args.exc_traceback))
    name = args.exc_type.__qualname__
    if args.exc_type.__module__ not in ("builtins", "__main__"):
        name = f"{args.exc_type.__module__}.{name}"
    if args.exc_value is not None:
        name += ": " + text_or(str, args.exc_value, "<exception str() failed>")
    write(text + name + "\n")
