"""Asks a person before a tool runs that wants it so."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import cast
from weakref import WeakKeyDictionary

from react_engine.tools.failures import Failure, denied, unconfirmed
from react_engine.tools.results import error_text
from react_engine.tools.threads import call_in_thread
from react_engine.tools.tool import Tool
from react_engine.types import ToolCall

Confirm = Callable[[ToolCall, Tool], bool | str | Awaitable[bool | str]]
"""Says whether a call may run: True is yes; False is no; a text is no, and the reason.

A plain function is called in a thread, so that it can wait for a person without holding up the loop.
"""


class Confirmations:
    """Puts one question at a time, also where several runs share the executor."""

    def __init__(self, confirm: Confirm | None) -> None:
        self._confirm = confirm
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    async def refusal(self, call: ToolCall, tool: Tool) -> Failure | None:
        """None if a call of a tool that asks first may run. A question that fails counts as a no."""
        if self._confirm is None:
            return unconfirmed(call)
        async with self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            answer = await self._answer(self._confirm, call, tool)
        if answer is True:
            return None
        return denied(call, answer if isinstance(answer, str) and answer else "the user said no.")

    async def _answer(self, confirm: Confirm, call: ToolCall, tool: Tool) -> bool | str:
        try:
            if inspect.iscoroutinefunction(confirm):
                return cast("bool | str", await confirm(call, tool))
            outcome = await call_in_thread(confirm, call, tool)
            if outcome.error is not None:
                return f"asking the user failed with {error_text(outcome.error)}."
            return cast("bool | str", await outcome.value if inspect.isawaitable(outcome.value) else outcome.value)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            return "the question was cancelled."
        except Exception as error:  # noqa: BLE001
            return f"asking the user failed with {error_text(error)}."
