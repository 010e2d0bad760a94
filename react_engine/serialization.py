"""Runs and readings as plain data, for JSON output and traces."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from msgspec import Struct, structs

from react_engine.runs import Run
from react_engine.types import Span, ToolResult

_MAX_DEPTH = 60
_MAX_BITS = 10_000  # Python refuses to write longer integers in decimal
SECRET = "<secret>"  # noqa: S105 - stands where one was


def as_data(value: Any, depth: int = 0) -> Any:
    """The value as JSON types: dataclasses and structs as objects, enums by value, errors by class and message.

    What JSON cannot say becomes text: numbers that are not finite (``"nan"``) or too long, other objects, and
    anything nested deeper than 60 levels (``"…"``). Lone surrogates become ``"?"``. The object a tool returned
    (``ToolResult.value``) is left out: its text is there, and the object may hold more than anybody should see. Of a
    secret result text and hint are left out as well.
    """
    if depth > _MAX_DEPTH:
        return "…"
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float, complex)):
        return _number(value)
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, BaseException):
        return {"type": type(value).__name__, "message": as_data(str(value))}
    if isinstance(value, Span):
        return [value.start, value.end]
    if isinstance(value, Struct) or (is_dataclass(value) and not isinstance(value, type)):
        return {name: as_data(item, depth + 1) for name, item in _fields(value).items()}
    if isinstance(value, Mapping):
        return {as_data(str(key)): as_data(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [as_data(item, depth + 1) for item in value]
    return as_data(str(value))


def _number(value: complex) -> Any:
    if isinstance(value, int):
        return value if value.bit_length() <= _MAX_BITS else hex(value)
    return value if isinstance(value, float) and math.isfinite(value) else str(value)


def _fields(value: Any) -> dict[str, Any]:
    held = (
        structs.asdict(value) if isinstance(value, Struct) else {x.name: getattr(value, x.name) for x in fields(value)}
    )
    if isinstance(value, ToolResult):
        del held["value"]
        if value.secret:
            held |= {"text": SECRET, "hint": SECRET if value.hint else ""}
    return held


def run_data(run: Run) -> dict[str, Any]:
    """A run as JSON types."""
    data: dict[str, Any] = as_data(run)
    data["usage"]["total_tokens"] = run.usage.total_tokens
    return data
