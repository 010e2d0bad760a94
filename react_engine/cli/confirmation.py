"""Asks the person at the terminal before a tool with side effects runs."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from react_engine.cli.output import is_terminal, note

if TYPE_CHECKING:
    from react_engine.tools.confirmation import Confirm
    from react_engine.tools.tool import Tool
    from react_engine.types import ToolCall

_SHOWN = 4000


def confirmation(choice: str) -> Confirm:
    """How calls of tools with side effects are confirmed, as the setting ``tools.confirm`` says."""
    if choice == "allow":
        return lambda call, tool: True
    if choice == "deny":
        return lambda call, tool: "the settings deny tools with side effects."
    return ask


async def ask(call: ToolCall, tool: Tool) -> bool | str:
    """Whether the person says yes. Anything else is a no, and so is that nobody is there."""
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        note(f"{tool.name} was not run: it asks first, and there is no terminal to ask at. --yes allows it.")
        return "nobody was there to say yes."
    _forget_typed_ahead(sys.stdin.fileno())
    note(f"\n{tool.name} has side effects. It would run with {_shown(call.arguments)}")
    note("Run it? [y/N] ", end="")
    return (await _typed_line(sys.stdin.fileno())).strip().lower() in ("y", "yes")


def _shown(arguments: Any) -> str:
    """The arguments in full, so that nothing hides behind a cut; what is too long for that says how much is missing."""
    from react_engine.serialization import as_data

    text = json.dumps(as_data(arguments), ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} … and {len(text) - _SHOWN} characters more, NOT SHOWN"


async def _typed_line(descriptor: int) -> str:
    """The next line typed at the terminal. It can be cancelled, which a thread in ``input`` cannot."""
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[str] = loop.create_future()

    def ready() -> None:
        if not typed.done():
            typed.set_result(os.read(descriptor, 4096).decode("utf-8", "replace"))

    try:
        loop.add_reader(descriptor, ready)
    except NotImplementedError:  # the event loop of Windows
        return await asyncio.to_thread(sys.stdin.readline)
    try:
        return await typed
    finally:
        loop.remove_reader(descriptor)


def _forget_typed_ahead(descriptor: int) -> None:
    """What was typed before the question was seen is no answer to it."""
    with suppress(ImportError, OSError):
        import termios

        with suppress(termios.error):
            termios.tcflush(descriptor, termios.TCIFLUSH)
