"""One attempt: a tool that will not stop is left behind."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from react_engine.tools.attempts import OutOfTime, attempt
from react_engine.tools.tool import Tool, ToolOptions, ToolParameter

pytestmark = pytest.mark.anyio


class Stubborn(Tool):
    """Goes on when it is cancelled, until it is let go."""

    def __init__(self) -> None:
        super().__init__("stubborn", "Goes on.", ToolOptions(timeout=0.01))
        self.running = asyncio.Event()
        self.let_go = asyncio.Event()

    async def run(self, parameters: dict[str, Any]) -> None:
        self.running.set()
        while not self.let_go.is_set():
            try:
                await self.let_go.wait()
            except asyncio.CancelledError:
                continue
        raise RuntimeError("too late to be seen")

    def get_parameters(self) -> list[ToolParameter]:
        return []


async def test_a_tool_that_ignores_its_cancellation_is_not_waited_for() -> None:
    tool = Stubborn()
    outcome = await attempt(tool, {}, grace=0.01)
    assert isinstance(outcome.error, OutOfTime)
    tool.let_go.set()


async def test_cancelling_the_caller_does_not_wait_for_it_either() -> None:
    tool = Stubborn()
    task = asyncio.create_task(attempt(tool, {}, grace=0.01))
    await tool.running.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    tool.let_go.set()
