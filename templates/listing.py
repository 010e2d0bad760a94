"""Tools as the chat templates of trained families list them: JSON, Python stubs, TypeScript, XML, declarations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from react_engine.templates.neutralise import neutralise
from react_engine.templates.notation import compact_json
from react_engine.templates.views import SchemaLike, one_line, schema_of

_PYTHON = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "dict", "null": "None"}
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class ParameterView:
    """One parameter of a tool; ``schema`` is its JSON Schema, with neutralised texts."""

    name: str
    schema: Mapping[str, Any]
    required: bool
    description: str


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as a listing shows it. ``declared`` is its schema with the names of types in capitals."""

    name: str
    description: str
    parameters: tuple[ParameterView, ...]
    required: tuple[str, ...]
    declared: Mapping[str, Any]


def listed_tool(tool: SchemaLike) -> ListedTool:
    """A tool for a listing. Raises ConfigurationError for a tool without a schema."""
    schema = _neutral(schema_of(tool))
    properties = schema.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    named = schema.get("required")
    required = tuple(map(str, named)) if isinstance(named, list) else ()
    parameters = tuple(
        ParameterView(name, below, name in required, one_line(str(below.get("description", ""))))
        for name, below in properties.items()
        if isinstance(below, Mapping)
    )
    return ListedTool(one_line(tool.name), one_line(tool.description), parameters, required, _declared(schema))


def json_forms(tool: SchemaLike) -> dict[str, str]:
    """The words of ``Writing.tool`` that need no template."""
    schema = schema_of(tool)
    function = {"name": tool.name, "description": tool.description, "parameters": schema}
    return {
        "openai": compact_json({"type": "function", "function": function}),
        "function": compact_json(function),
        "parameters": compact_json(schema),
        "name": one_line(tool.name),
        "quoted": compact_json(tool.name),
        "description": one_line(tool.description),
    }


def python_type(schema: Any, depth: int = 0) -> str:
    """The Python annotation of a schema, as the stubs of prompts have it."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return "Any"
    if isinstance(choices := schema.get("enum"), list):
        return f"Literal[{', '.join(map(compact_json, choices))}]"
    if members := _alternatives(schema):
        return " | ".join(dict.fromkeys(python_type(member, depth + 1) for member in members))
    kind = schema.get("type")
    if kind == "array":
        return f"list[{python_type(schema.get('items'), depth + 1)}]"
    return _PYTHON.get(str(kind), "Any")


def typescript_type(schema: Any, depth: int = 0) -> str:
    """The TypeScript type of a schema."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return "any"
    if isinstance(choices := schema.get("enum"), list):
        return " | ".join(map(compact_json, choices)) or "never"
    if members := _alternatives(schema):
        return " | ".join(dict.fromkeys(typescript_type(member, depth + 1) for member in members))
    kind = schema.get("type")
    if kind == "array":
        items = typescript_type(schema.get("items"), depth + 1)
        return f"({items})[]" if " | " in items else f"{items}[]"
    if kind == "object":
        return _typescript_object(schema, depth)
    return {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}.get(
        str(kind), "any"
    )


def schema_type(schema: Any) -> str:
    """The type of a schema in a word or two."""
    if not isinstance(schema, Mapping):
        return "any"
    if members := _alternatives(schema):
        kinds = [member.get("type") for member in members if isinstance(member, Mapping)]
        return " or ".join(dict.fromkeys(str(kind) for kind in kinds if kind)) or "any"
    return str(schema.get("type") or "any")


def _typescript_object(schema: Mapping[str, Any], depth: int) -> str:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        return "object"
    required = schema.get("required")
    required = required if isinstance(required, list) else []
    members = (
        f"{name}{'' if name in required else '?'}: {typescript_type(below, depth + 1)}"
        for name, below in properties.items()
    )
    return "{ " + ", ".join(members) + " }"


def _alternatives(schema: Mapping[str, Any]) -> list[Any]:
    """The schemas that a value may fit, where there are several."""
    for key in ("anyOf", "oneOf"):
        if isinstance(members := schema.get(key), list) and members:
            return members
    kinds = schema.get("type")
    return [{**schema, "type": kind} for kind in kinds] if isinstance(kinds, list) else []


def _neutral(value: Any) -> Any:
    """A schema in whose texts no control token stands."""
    if isinstance(value, Mapping):
        return {one_line(str(key)): _neutral(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_neutral(item) for item in value]
    return neutralise(value) if isinstance(value, str) else value


def _declared(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            key: item.upper() if key == "type" and isinstance(item, str) else _declared(item)
            for key, item in value.items()
        }
    return [_declared(item) for item in value] if isinstance(value, list) else value
