# SPDX-License-Identifier: MIT
"""The tools of hermes_tools as coroutines, for asyncio.

    from hermes_tools import aio
    a, b = await asyncio.gather(aio.read_file("a"), aio.read_file("b"))

Cancelling a coroutine cancels its call. Threads may use the plain functions meanwhile.
"""
# ptc-child embeds this file and sets _hermes_tools before it runs.
import asyncio as _asyncio
import weakref as _weakref

_watches = _weakref.WeakKeyDictionary()  # event loop -> _Watch


class _Watch:
    """Keeps the channel registered with one event loop while that loop has calls outstanding."""

    def __init__(self):  # no reference to the loop: that would keep it alive for ever
        self.calls = 0
        self.writing = False

    def enter(self, loop):
        if self.calls == 0:
            self.descriptor = _hermes_tools._descriptor()
            loop.add_reader(self.descriptor, self.pump, loop)
        self.calls += 1

    def leave(self, loop):
        self.calls -= 1
        if self.calls == 0 and not loop.is_closed():
            self.watch_writing(loop, False)
            loop.remove_reader(self.descriptor)

    def pump(self, loop):
        wants_write = _hermes_tools._pump()
        if self.calls:
            self.watch_writing(loop, wants_write)

    def watch_writing(self, loop, wanted):
        if wanted == self.writing:
            return
        self.writing = wanted
        if wanted:
            loop.add_writer(self.descriptor, self.pump, loop)
        else:
            loop.remove_writer(self.descriptor)


def _settle(future):
    if not future.done():
        future.set_result(None)


async def _call(tool, args, kwargs):
    loop = _asyncio.get_running_loop()
    watch = _watches.get(loop)
    if watch is None:
        watch = _watches[loop] = _Watch()
    answered = loop.create_future()
    # Whoever reads the answer calls this: our own pump, or a thread in the middle of a plain call.
    call = _hermes_tools._start(
        tool, args, kwargs, lambda call: loop.call_soon_threadsafe(_settle, answered))
    try:
        try:
            watch.enter(loop)
        except OSError:  # the script has closed the descriptor
            return call.result()
        try:
            watch.pump(loop)
            await answered
        finally:
            watch.leave(loop)
        return call.result()
    finally:
        call.cancel()  # nothing happens when it is over


def _coroutine(tool):
    async def call_tool(*args, **kwargs):
        return await _call(tool, args, kwargs)

    call_tool.__name__ = tool.__name__
    call_tool.__qualname__ = tool.__name__
    call_tool.__module__ = __name__
    call_tool.__doc__ = tool.__doc__
    call_tool.__signature__ = __import__("inspect").signature(tool)
    call_tool.__annotations__ = tool.__annotations__
    return call_tool


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    names = ", ".join(__all__) or "none"
    raise AttributeError(
        f"module {__name__!r} has no coroutine {name!r}. Those that exist: {names}", name=name)


__all__ = _hermes_tools.tools()
globals().update({_name: _coroutine(getattr(_hermes_tools, _name)) for _name in __all__})
