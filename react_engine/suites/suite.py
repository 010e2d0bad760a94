"""A suite in a file: TOML with tools that answer from fixed data, and tasks with what a right run looks like.

The notation is explained at the top of ``choice.toml``. A run of a suite depends on the model and the prompt alone.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from react_engine.checking import checked
from react_engine.errors import ConfigurationError, ToolError
from react_engine.suites.matching import fits
from react_engine.tools.function import tool_from_schema
from react_engine.tools.tool import Tool

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_SHIPPED = ("choice", "steps")
_CALIBRATION = "gate"


@dataclass(frozen=True, slots=True)
class Expected:
    """A call that a right run makes; ``arguments`` in the notation of the suite."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def meets(self, name: str, arguments: Mapping[str, Any]) -> bool:
        """Whether a call is the expected one."""
        return name == self.tool and fits(self.arguments, arguments)


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked; the calls of a right run, none for a request without need of a tool; texts of its answer."""

    ask: str
    kind: str
    calls: tuple[Expected, ...] = ()
    answer: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suite:
    """Tools and tasks. ``name`` is that of a shipped suite or of the file, ``digest`` of the text that it came from."""

    name: str
    title: str
    tools: tuple[Tool, ...]
    tasks: tuple[Task, ...]
    digest: str


def shipped_suites() -> tuple[str, ...]:
    """The names of the suites that come with the package."""
    return _SHIPPED


def load_suite(name: str) -> Suite:
    """A shipped suite by its name, or one in a file. ``gate`` is what the gate is calibrated on, not a test.

    Raises ConfigurationError for a file that cannot be read, with the place of the mistake in it.
    """
    if name in (*_SHIPPED, _CALIBRATION):
        text = files("react_engine.suites").joinpath(f"{name}.toml").read_text(encoding="utf-8")
        return read_suite(text, name)
    try:
        text = Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(_SHIPPED)
        raise ConfigurationError(f"The suite {name} cannot be read: {error}. Shipped are: {known}.") from error
    return read_suite(text, name)


def read_suite(text: str, name: str) -> Suite:
    """The suite in a text. Raises ConfigurationError."""
    try:
        plain = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"The suite {name} is no TOML: {error}.") from error
    told = checked(_adapter(), plain, lambda path: f"The suite {name}, {'.'.join(map(str, path)) or 'file'}")
    tools = tuple(_tool(spec) for spec in told.tools)
    known = {tool.name for tool in tools}
    tasks = []
    for group in told.tasks:
        for item in group.items:
            calls = tuple(Expected(call.tool, call.arguments) for call in item.calls)
            for call in calls:
                if call.tool not in known:
                    raise ConfigurationError(
                        f"The suite {name}: {item.ask!r} expects {call.tool!r}, which is no tool of it."
                    )
            tasks.append(Task(item.ask, group.kind, calls, tuple(item.answer)))
    return Suite(name, told.title, tools, tuple(tasks), hashlib.sha256(text.encode()).hexdigest()[:16])


def _tool(spec: Any) -> Tool:
    required = [name for name in spec.parameters if spec.required is None or name in spec.required]
    schema = {
        "type": "object",
        "properties": spec.parameters,
        "required": required,
        "additionalProperties": False,
    }

    def answer(arguments: dict[str, Any]) -> str:
        if spec.calculate is not None:
            return _calculated(str(arguments[spec.calculate]))
        for line in spec.results:
            if all(name in arguments and fits(want, arguments[name]) for name, want in line.when.items()):
                text: str = line.text
                return text
        raise ToolError(spec.otherwise)

    return tool_from_schema(spec.name, spec.description, schema, answer, pass_dict=True)


def _calculated(expression: str) -> str:
    from react_engine.toolbox import make_all

    (calculator,) = make_all(["calculator"])
    return str(calculator.run({"expression": expression}))


@cache
def _adapter() -> TypeAdapter[Any]:
    from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

    class Strict(BaseModel):
        model_config = ConfigDict(extra="forbid")

    class Line(Strict):
        when: dict[str, Any]
        text: str

    class ToolSpec(Strict):
        name: str
        description: str = ""
        parameters: dict[str, dict[str, Any]] = Field(default_factory=dict)
        required: list[str] | None = None
        results: list[Line] = Field(default_factory=list)
        otherwise: str = "nothing is known of that"
        calculate: str | None = None

    class Call(Strict):
        tool: str
        arguments: dict[str, Any] = Field(default_factory=dict)

    class Item(Strict):
        ask: str
        calls: list[Call] = Field(default_factory=list)
        answer: list[str] = Field(default_factory=list)

    class Group(Strict):
        kind: str = "tasks"
        items: list[Item]

    class File(Strict):
        title: str = ""
        tools: list[ToolSpec]
        tasks: list[Group]

    return TypeAdapter(File)
