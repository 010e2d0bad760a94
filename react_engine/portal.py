"""One event loop in a thread of its own, for callers that are not async.

All sync runs of a process share it, so that connections are reused from run to run and a run works inside a
notebook, where a loop runs already.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
_LOCK = threading.Lock()
_current: tuple[int, asyncio.AbstractEventLoop, threading.Thread] | None = None


def _loop() -> asyncio.AbstractEventLoop:
    """The shared loop; a forked child gets one of its own."""
    global _current
    with _LOCK:
        if _current is None or _current[0] != os.getpid() or not _current[2].is_alive():
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="react-engine", daemon=True)
            thread.start()
            _current = (os.getpid(), loop, thread)
        if threading.current_thread() is _current[2]:
            raise RuntimeError("This is async code of a run: use the async method (arun, astream) here.")
        return _current[1]


def call(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine run in the shared loop. An interrupt cancels it and waits until it has ended."""
    try:
        loop = _loop()
    except RuntimeError:
        coroutine.close()
        raise
    ended = threading.Event()  # a concurrent future that is cancelled does not wait for its task
    future = asyncio.run_coroutine_threadsafe(_telling(coroutine, ended), loop)
    try:
        return future.result()
    except BaseException:
        if not future.done():
            future.cancel()
            ended.wait(timeout=5)
        raise


async def _telling(coroutine: Coroutine[Any, Any, T], ended: threading.Event) -> T:
    try:
        return await coroutine
    finally:
        ended.set()


def iterate(items: AsyncIterator[T]) -> Iterator[T]:
    """The items of an async iterator, one by one. Closing the iterator closes the async one."""
    loop = _loop()
    queue: SimpleQueue[tuple[str, Any]] = SimpleQueue()

    async def pump() -> None:
        try:
            async for item in items:
                queue.put(("item", item))
            queue.put(("end", None))
        except BaseException as error:
            queue.put(("error", error))
            raise
        finally:
            close = getattr(items, "aclose", None)
            if close is not None:
                await close()

    ended = threading.Event()  # as in call
    future = asyncio.run_coroutine_threadsafe(_telling(pump(), ended), loop)
    try:
        while True:
            kind, value = queue.get()
            if kind == "end":
                return
            if kind == "error":
                raise value
            yield value
    finally:
        if not future.done():
            future.cancel()
        ended.wait(timeout=5)
