"""Drives the loop by hand or against scripted models, with tools that are easy to watch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from react_engine.limits import Limits
from react_engine.loop import Task, react_loop
from react_engine.models.base import Reply
from react_engine.models.profile import ModelProfile
from react_engine.paths.base import Path
from react_engine.paths.native import NativePath
from react_engine.paths.prompt import PromptPath
from react_engine.paths.select import PathChoice, Paths
from react_engine.protocol import Answer, Answered, AskModel, Called, CallTools, Demand, Failed
from react_engine.runs import Run
from react_engine.templates import Templates
from react_engine.tools.function import tool
from react_engine.tools.tool import Tool
from react_engine.types import Message, PathName, Status, ToolCall, ToolResult


@tool
def add(a: float, b: float) -> float:
    """Add two numbers.

    Args:
        a: The first number.
        b: The second number.
    """
    return a + b


@tool
def lookup(city: str, days: int = 1) -> str:
    """Look up the weather of a city."""
    return f"{city}: sun for {days} days"


@tool(side_effects=True)
def send_mail(to: str, body: str) -> str:
    """Send a mail."""
    return f"sent to {to}"


TOOLS: tuple[Tool, ...] = (add, lookup, send_mail)
NATIVE = ModelProfile("scripted", function_calling=True)
PROMPT = ModelProfile("scripted", function_calling=False)


def paths(profile: ModelProfile = NATIVE, choice: PathChoice = "auto", tools: Sequence[Tool] = TOOLS) -> Paths:
    """Both paths to a model with these tools."""

    def make(name: PathName, profile: ModelProfile, omitted: frozenset[str]) -> Path:
        if name == "native":
            return NativePath(profile, tools, omitted=omitted)
        return PromptPath(profile, tools, Templates(), omitted=omitted)

    return Paths(profile, make, choice)


def drive(
    task: str,
    replies: Iterable[Reply | str | Exception],
    *,
    results: Any = None,
    using: Paths | None = None,
    seconds: float = 0.0,
    **options: Any,
) -> tuple[Run, list[Demand]]:
    """The run of a task, with replies in order and ``results(call) -> ToolResult`` for calls; and what was demanded."""
    loop = react_loop(Task((Message.user(task),), using or paths(), **options))
    demands: list[Demand] = []
    script = iter(replies)
    answer: Answer = None
    at = 0.0
    try:
        while True:
            demand = loop.send(answer)
            demands.append(demand)
            at += seconds
            if isinstance(demand, AskModel):
                answer = _reply(next(script), at)
            elif isinstance(demand, CallTools):
                answer = Called([(results or succeed)(call) for call in demand.calls], at)
            else:
                answer = None
    except StopIteration as stop:
        return stop.value, demands


def _reply(scripted: Any, at: float) -> Answer:
    if isinstance(scripted, Exception):
        return Failed(scripted, at)  # type: ignore[arg-type]
    return Answered(scripted if isinstance(scripted, Reply) else Reply(scripted, finish_reason="stop"), at)


def succeed(call: ToolCall) -> ToolResult:
    """A result that names the tool."""
    return ToolResult(call.id, call.name, Status.SUCCESS, f"{call.name} is done")


def limits(**given: Any) -> Limits:
    """Limits with some changed."""
    return Limits(**given)
