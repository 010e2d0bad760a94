"""Tools that do what a test wants, and short ways to run them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from react_engine.tools.executor import Executor, Observer
from react_engine.tools.registry import Registry
from react_engine.tools.tool import Tool, ToolOptions, ToolParameter
from react_engine.types import ToolCall, ToolResult


class Act(Tool):
    """A tool with one optional text, that does what the test wants."""

    def __init__(self, act: Callable[[dict[str, Any]], Any], name: str = "act", **options: Any) -> None:
        super().__init__(name, "Does something.", ToolOptions(**options))
        self._act = act
        self.runs = 0

    def run(self, parameters: dict[str, Any]) -> Any:
        self.runs += 1
        return self._act(parameters)

    def get_parameters(self) -> list[ToolParameter]:
        return [ToolParameter("text", required=False)]


class AsyncAct(Act):
    """The same in the event loop."""

    async def run(self, parameters: dict[str, Any]) -> Any:
        self.runs += 1
        return await self._act(parameters)


class Waits:
    """Stands for the pauses of retries and rate limits: takes no time, and remembers."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def failing(*errors: BaseException, then: Any = "done") -> Callable[[dict[str, Any]], Any]:
    """Raises the errors one after another, then gives a value."""
    remaining: Iterator[BaseException] = iter(errors)

    def act(_: dict[str, Any]) -> Any:
        for error in remaining:
            raise error
        return then

    return act


def call(name: str = "act", id: str = "c1", **arguments: Any) -> ToolCall:  # noqa: A002
    return ToolCall(name, arguments, id=id)


async def run_one(
    tool: Tool, call: ToolCall | None = None, observer: Observer | None = None, **settings: Any
) -> ToolResult:
    executor = Executor(Registry([tool]), **settings)
    [result] = await executor.execute([call or ToolCall(tool.name, {}, id="c1")], observer=observer)
    return result


def raising(error: BaseException) -> Callable[[dict[str, Any]], Any]:
    def act(_: dict[str, Any]) -> Any:
        raise error

    return act
