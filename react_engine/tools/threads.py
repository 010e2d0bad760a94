"""Calls functions in threads that nobody has to wait for.

Python cannot stop a thread. So these are daemons, which do not keep the interpreter from exiting, and one
that hangs is no loss: the next call gets another. Thread pools of libraries are joined at exit, or run out of
workers when enough of them hang. A worker that is done waits for the next call: that halves the cost of one.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

NAME = "react-engine tool"
MAX_IDLE = 32


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call: a value, or what was raised."""

    value: Any = None
    error: BaseException | None = None


_idle: deque[SimpleQueue[Callable[[], None]]] = deque()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # threads do not survive a fork


async def call_in_thread(function: Callable[..., Any], *args: Any) -> Outcome:
    """What a function gives or raises in a thread, with the caller's context variables.

    When the caller is cancelled the function runs on, and what comes of it is dropped.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Outcome] = loop.create_future()
    context = contextvars.copy_context()

    def deliver(outcome: Outcome) -> None:
        if not future.done():
            future.set_result(outcome)

    def work() -> None:
        try:
            outcome = Outcome(context.run(function, *args))
        except BaseException as error:  # noqa: BLE001
            outcome = Outcome(error=error)
        with suppress(RuntimeError):  # the loop was closed while the function hung
            loop.call_soon_threadsafe(deliver, outcome)

    _hand_over(work)
    return await future


def _hand_over(work: Callable[[], None]) -> None:
    try:
        tasks = _idle.pop()
    except IndexError:
        tasks = SimpleQueue()
        threading.Thread(target=_worker, args=(tasks,), name=NAME, daemon=True).start()
    tasks.put(work)


def _worker(tasks: SimpleQueue[Callable[[], None]]) -> None:
    while True:
        tasks.get()()
        if len(_idle) >= MAX_IDLE:
            return
        _idle.append(tasks)
