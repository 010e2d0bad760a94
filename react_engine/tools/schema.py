"""One tool in the forms that providers and prompts want, all from its one schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from react_engine.shapes import Shape, resolve_pointer, shape_of, type_text
from react_engine.tools.strict import strict_schema
from react_engine.tools.tool import Tool
from react_engine.tools.wire_names import wire_names

__all__ = [
    "ArgumentRow",
    "Signature",
    "anthropic_tool",
    "drop_nulls",
    "openai_tool",
    "responses_tool",
    "signature",
    "strict_schema",
    "wire_names",
]


@dataclass(frozen=True, slots=True)
class ArgumentRow:
    """One argument as a prompt shows it.

    ``type`` is text such as ``integer``, ``"metric" | "imperial"`` or ``list[string]``. ``default`` is JSON text, None
    if there is none. ``limits`` says what the type cannot: ``from 1 to 10``, ``date``, ``at most 80 characters``.
    """

    name: str
    type: str
    required: bool = True
    default: str | None = None
    description: str = ""
    limits: str = ""


@dataclass(frozen=True, slots=True)
class Signature:
    """A tool as a prompt shows it."""

    name: str
    description: str
    arguments: tuple[ArgumentRow, ...] = ()


def openai_tool(tool: Tool, *, strict: bool = False, name: str | None = None) -> dict[str, Any]:
    """The tool for OpenAI's chat completions. A tool that cannot be strict comes without ``strict``."""
    return {"type": "function", "function": _described(tool, strict, name)}


def responses_tool(tool: Tool, *, strict: bool = False, name: str | None = None) -> dict[str, Any]:
    """The tool for OpenAI's Responses: flat, and ``strict`` always said, since it is on there by default."""
    described = _described(tool, strict, name)
    return {"type": "function", **described, "strict": described.get("strict", False)}


def anthropic_tool(tool: Tool, *, name: str | None = None) -> dict[str, Any]:
    """The tool for Anthropic's messages."""
    described = _described(tool, False, name)
    described["input_schema"] = described.pop("parameters")
    return described


def _described(tool: Tool, strict: bool, name: str | None) -> dict[str, Any]:
    schema = tool.schema
    narrowed = strict_schema(schema) if strict else None
    described: dict[str, Any] = {"name": name or tool.name}
    if tool.description:
        described["description"] = tool.description
    described["parameters"] = schema if narrowed is None else narrowed
    if narrowed is not None:
        described["strict"] = True
    return described


def signature(tool: Tool) -> Signature:
    """The tool as rows for a prompt. An optional argument is not also shown as nullable."""
    schema, shape = tool.schema, tool.shape
    rows = []
    for name, below in shape.properties.items():
        written = schema.get("properties", {}).get(name)
        own = written if isinstance(written, Mapping) else {}
        meant = _meant(own, schema)
        required = name in shape.required
        rows.append(
            ArgumentRow(
                name=name,
                type=type_text(below if required else below.without_null()),
                required=required,
                default=json.dumps(own["default"], ensure_ascii=False, default=str) if "default" in own else None,
                description=" ".join(str(own.get("description") or meant.get("description") or "").split()),
                limits=_limits(meant),
            )
        )
    return Signature(tool.name, tool.description, tuple(rows))


def _meant(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema itself, behind a reference and behind being nullable."""
    for _ in range(8):
        options = [o for o in schema.get("anyOf", ()) if isinstance(o, Mapping) and o.get("type") != "null"]
        if isinstance(schema.get("$ref"), str):
            try:
                target = resolve_pointer(root, schema["$ref"])
            except LookupError:
                return schema
            if not isinstance(target, Mapping):
                return schema
            schema = {**target, **{word: value for word, value in schema.items() if word != "$ref"}}
        elif len(options) == 1:
            schema = {**options[0], **{word: value for word, value in schema.items() if word != "anyOf"}}
        else:
            break
    return schema


_BOUNDS = (
    ("minimum", "maximum", ""),
    ("exclusiveMinimum", "exclusiveMaximum", " (both excluded)"),
    ("minLength", "maxLength", " characters"),
    ("minItems", "maxItems", " items"),
)


def _limits(schema: Mapping[str, Any]) -> str:
    said = [str(schema["format"])] if isinstance(schema.get("format"), str) else []
    for lower, upper, unit in _BOUNDS:
        least, most = schema.get(lower), schema.get(upper)
        strictly = lower.startswith("exclusive")
        if least is not None and most is not None:
            said.append(f"from {least} to {most}{unit}")
        elif least is not None and (least or not unit):
            said.append(f"more than {least}" if strictly else f"at least {least}{unit}")
        elif most is not None:
            said.append(f"less than {most}" if strictly else f"at most {most}{unit}")
    if "multipleOf" in schema:
        said.append(f"a multiple of {schema['multipleOf']}")
    if isinstance(schema.get("pattern"), str) and len(schema["pattern"]) <= 60:
        said.append(f"pattern {schema['pattern']}")
    return ", ".join(said)


def drop_nulls(arguments: Mapping[str, Any], schema: Mapping[str, Any] | Shape) -> dict[str, Any]:
    """Arguments of a strict call as the tool means them: null for what is optional and cannot be null is absent."""
    shape = schema if isinstance(schema, Shape) else shape_of(schema)
    dropped = _without_nulls(arguments, shape, 0)
    return dict(dropped)


def _without_nulls(value: Any, shape: Shape, depth: int) -> Any:
    if depth > 60 or shape.anything:
        return value
    if isinstance(value, list):
        shapes = [*shape.prefix[: len(value)], *[shape.items] * (len(value) - len(shape.prefix))]
        value = [
            item if below is None else _without_nulls(item, below, depth + 1)
            for item, below in zip(value, shapes, strict=True)
        ]
    elif isinstance(value, Mapping):
        value = {
            key: _without_nulls(item, shape.properties[key], depth + 1) if key in shape.properties else item
            for key, item in value.items()
            if item is not None or not _means_absent(key, shape)
        }
    if shape.options and isinstance(value, (dict, list)):
        tried = ((option, _without_nulls(value, option, depth + 1)) for option in shape.options)
        value = next((cleaned for option, cleaned in tried if option.fits(cleaned)), value)
    for other in shape.also:
        value = _without_nulls(value, other, depth + 1)
    return value


def _means_absent(key: str, shape: Shape) -> bool:
    below = shape.properties.get(key)
    return below is not None and key not in shape.required and not below.fits(None)
