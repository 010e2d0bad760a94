"""Runs and readings as plain data, for JSON output and traces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from react_engine.types import Run, Span, ToolResult

_MAX_DEPTH = 60


def as_data(value: Any, depth: int = 0) -> Any:
    """The value as JSON types: dataclasses as objects, enums by value, errors by class and message.

    The object a tool returned (``ToolResult.value``) is left out: its text is there, and the object may hold more
    than anybody should see.
    """
    if depth > _MAX_DEPTH:
        return "…"
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, BaseException):
        return {"type": type(value).__name__, "message": str(value)}
    if isinstance(value, Span):
        return [value.start, value.end]
    if is_dataclass(value) and not isinstance(value, type):
        skipped = ("value",) if isinstance(value, ToolResult) else ()
        return {
            item.name: as_data(getattr(value, item.name), depth + 1)
            for item in fields(value)
            if item.name not in skipped
        }
    if isinstance(value, Mapping):
        return {str(key): as_data(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [as_data(item, depth + 1) for item in value]
    return str(value)


def run_data(run: Run) -> dict[str, Any]:
    """A run as JSON types."""
    data: dict[str, Any] = as_data(run)
    data["usage"]["total_tokens"] = run.usage.total_tokens
    return data
