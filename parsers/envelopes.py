"""What models wrap around arguments: another ``arguments`` key, the tool's name, a whole call, the schema."""

from __future__ import annotations

from typing import Any

from react_engine.parsers.index import KnownTool
from react_engine.parsers.literals import read_value
from react_engine.parsers.names import fold
from react_engine.shapes import Shape

NAME_KEYS = (
    "name", "tool_name", "function_name", "tool", "function", "action", "recipient_name", "action_name", "func",
    "next_tool_name",
)  # fmt: skip
"""Keys that hold the name of a tool, the most usual first."""
ARGUMENT_KEYS = (
    "arguments", "parameters", "args", "action_input", "input", "params", "kwargs", "tool_input", "tool_args",
    "tool_arguments", "action_args", "action_arguments", "function_args", "actioninput", "toolinput", "inputs",
    "next_tool_args",
)  # fmt: skip
"""Keys that hold the arguments, the most usual first."""
ENVELOPES = frozenset({*ARGUMENT_KEYS, "properties"})
"""Keys under which models wrap the arguments once more."""
SCHEMA_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object", "null"})
_DEPTH = 6


def unwrap(written: dict[str, Any], tool: KnownTool, names: list[tuple[str, bool]]) -> Any:
    """The arguments themselves, with the names of what was taken off in ``names``.

    None when the schema came back with no values in it. A value that is no object is left for the tool's one
    parameter.
    """
    shape, current = tool.shape, written
    for _ in range(_DEPTH):
        if is_schema(current) and not {"type", "properties"} <= shape.properties.keys():
            names.append(("schema-echo", True))
            current = current["properties"]
            continue
        inner = _inside(current, tool)
        if inner is _NOTHING:
            break
        names.append(("arguments-nested", False))
        if not isinstance(inner, dict):
            return inner
        current = inner
    return _values_of_schemas(current, shape, names)


_NOTHING: Any = object()


def _inside(current: dict[str, Any], tool: KnownTool) -> Any:
    """What an envelope holds, or ``_NOTHING`` if the object is none."""
    properties = tool.shape.properties
    if len(current) == 1:
        key, inner = next(iter(current.items()))
        if key in properties or not isinstance(key, str):
            return _NOTHING
        if key in ENVELOPES or (fold(key) == fold(tool.name) and isinstance(inner, dict)):
            return _decoded(inner)
        return _NOTHING
    if current.keys() <= properties.keys():
        return _NOTHING
    if current.keys() == {"args", "kwargs"} and not current["args"] and isinstance(current["kwargs"], dict):
        return current["kwargs"]
    name = next((current[key] for key in NAME_KEYS if isinstance(current.get(key), str)), None)
    holder = next((key for key in ARGUMENT_KEYS if key in current and key not in properties), None)
    if name is None or holder is None or fold(name) != fold(tool.name):
        return _NOTHING
    return _decoded(current[holder])


def _decoded(inner: Any) -> Any:
    if inner is None:
        return {}
    if isinstance(inner, str) and inner.lstrip()[:1] == "{":
        read = read_value(inner, 0, len(inner))
        return read.value if read.error is None and read.complete else inner
    return inner


def is_schema(value: dict[str, Any]) -> bool:
    """Whether an object is the JSON Schema of an object."""
    return (
        isinstance(value.get("properties"), dict)
        and value.get("type") in (None, "object")
        and value.keys() <= _SCHEMA_KEYS
    )


_SCHEMA_KEYS = frozenset(
    {"type", "properties", "required", "additionalProperties", "description", "title", "$schema", "$defs"}
)


def is_schema_of_value(value: Any) -> bool:
    """Whether a value is the schema of a parameter rather than its value."""
    return isinstance(value, dict) and isinstance(value.get("type"), str) and value["type"] in SCHEMA_TYPES


def _values_of_schemas(current: dict[str, Any], shape: Shape, names: list[tuple[str, bool]]) -> dict[str, Any] | None:
    """Values that stand inside the schemas of their parameters. None when a schema has no value."""
    echoed = [
        key
        for key, value in current.items()
        if (is_schema_of_value(value) or (isinstance(value, dict) and value.keys() == {"value"}))
        and not _may_be_object(shape, key)
    ]
    if not echoed:
        return current
    values = dict(current)
    for key in echoed:
        schema = current[key]
        if "value" in schema:
            values[key] = schema["value"]
        elif "default" in schema:
            values[key] = schema["default"]
        else:
            return None
    names.append(("schema-echo", True))
    return values


def _may_be_object(shape: Shape, key: str) -> bool:
    return key not in shape.properties or shape.properties[key].allows("object")
