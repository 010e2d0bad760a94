"""What templates see: tools, calls, results and turns as plain texts that are safe to show.

Names and descriptions of tools may come from a server, and output from anywhere. All of it is data and is
neutralised here, before a template of whatever origin sees it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from react_engine.errors import ConfigurationError
from react_engine.templates.markers import inert
from react_engine.templates.neutralise import neutralise
from react_engine.templates.notation import compact_json
from react_engine.types import ToolCall, ToolResult


class ArgumentLike(Protocol):
    """One argument of a signature: what ``react_engine.tools.schema.ArgumentRow`` has."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def required(self) -> bool: ...
    @property
    def default(self) -> str | None: ...
    @property
    def description(self) -> str: ...
    @property
    def limits(self) -> str: ...


class SignatureLike(Protocol):
    """A tool as rows: what ``react_engine.tools.schema.Signature`` has."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def arguments(self) -> Sequence[ArgumentLike]: ...


class SchemaLike(Protocol):
    """A tool with its JSON Schema: what ``react_engine.tools.tool.Tool`` has."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def schema(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class ArgumentView:
    """One argument of a tool, each text on one line. ``default`` is JSON text, None if there is none."""

    name: str
    type: str
    required: bool
    default: str | None
    description: str
    limits: str


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool: with ``arguments`` for signatures, with ``schema`` (compact JSON) for full rendering."""

    name: str
    description: str
    arguments: tuple[ArgumentView, ...] = ()
    schema: str = ""


@dataclass(frozen=True, slots=True)
class CallView:
    """A call; ``arguments`` is JSON on one line."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class TurnView:
    """One turn of a conversation. ``observation`` says that a user's turn carries results."""

    role: str
    text: str
    observation: bool = False


def signature_view(tool: SignatureLike) -> ToolView:
    """A tool for the rendering as signatures."""
    return ToolView(one_line(tool.name), one_line(tool.description), tuple(map(_argument_view, tool.arguments)))


def _argument_view(row: ArgumentLike) -> ArgumentView:
    default = None if row.default is None else one_line(row.default)
    return ArgumentView(
        one_line(row.name), one_line(row.type), row.required, default, one_line(row.description), one_line(row.limits)
    )


def schema_view(tool: SchemaLike) -> ToolView:
    """A tool for the rendering as JSON Schema."""
    return ToolView(one_line(tool.name), one_line(tool.description), schema=compact_json(schema_of(tool)))


def schema_of(tool: SchemaLike) -> Mapping[str, Any]:
    """The JSON Schema of a tool's arguments. Raises ConfigurationError where there is none."""
    schema = getattr(tool, "schema", None)
    if not isinstance(schema, Mapping):
        raise ConfigurationError(
            f"Rendering tools as schemas needs tools with a ``schema``, got {type(tool).__name__} for {tool.name!r}. "
            "Pass the tools themselves in place of their signatures."
        )
    return schema


def call_view(call: ToolCall) -> CallView:
    """A call as it stands in a step."""
    return CallView(one_line(call.name), compact_json(call.arguments))


def result_view(result: ToolResult) -> ToolResult:
    """A result whose texts are neutralised."""
    name, text, hint = one_line(result.name), inert(result.text), inert(result.hint)
    if (name, text, hint) == (result.name, result.text, result.hint):  # nearly always
        return result
    return replace(result, name=name, text=text, hint=hint)


def turn_view(message: Mapping[str, Any], observation: str) -> TurnView:
    """A prompt message; ``observation`` is the label with which results begin."""
    role, text = str(message.get("role", "user")), _text_of(message.get("content")).strip()
    return TurnView(role, text, role == "user" and text.startswith(observation))


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    return "\n".join(part["text"] for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str))


def one_line(text: str) -> str:
    """A text on one line, neutralised."""
    return neutralise(" ".join(text.split()))


def shortened(text: str, limit: int) -> str:
    """A text of about ``limit`` characters: its head, and its tail, where the slip often is."""
    text = text.strip()
    if len(text) <= limit:
        return text
    return f"{text[: limit * 2 // 3]} … {text[-limit // 3 :]}"
