"""Schemas for the strict mode of OpenAI's function calling.

What it asks for (OpenAI's guide to structured outputs, "Supported schemas", as third parties describe it in
2026): the root an object
and no union; every object closed and all of its properties required, optional ones as a union with null; no
``allOf``, ``oneOf``, ``not``, ``if``, ``default`` or ``dependent…``; ``$ref`` without neighbours; at most 5,000
properties, ten levels of objects and 1,000 enum values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from react_engine.shapes import kind_of, shape_of

_MAX_PROPERTIES, _MAX_LEVELS, _MAX_MEMBERS = 5000, 10, 1000
_KEPT = frozenset(
    {
        "$ref", "type", "description", "enum", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum",
        "exclusiveMaximum", "minItems", "maxItems", "pattern", "format",
    }
)  # fmt: skip
# What the server refuses but the model should know is told in the description; the validator checks the limits.
_NOTED = ("default", "minLength", "maxLength", "uniqueItems", "minProperties", "maxProperties", "contentEncoding")
_FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})
_LOOKAROUND = re.compile(r"\(\?<?[=!]")
# What would change the meaning if it were left out.
_UNSUPPORTED = (
    "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties", "prefixItems", "contains",
    "$dynamicRef",
)  # fmt: skip


class _Loose(Exception):
    """The schema cannot be strict."""


def strict_schema(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The schema for strict mode, or None where it cannot be: free-form objects and arrays, unsupported keywords.

    The schema is a valid one, as those of registered tools are. Every optional property becomes required and nullable; ``drop_nulls`` undoes that in the arguments.
    """
    try:
        return _Narrower(schema).narrow()
    except (_Loose, RecursionError):
        return None


class _Narrower:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.properties = self.members = 0

    def narrow(self) -> dict[str, Any]:
        """The whole schema with its definitions."""
        if any(word in self.root for word in ("anyOf", "oneOf", "enum", "const", "$ref")):
            raise _Loose
        narrowed = self._schema({"properties": {}, **self.root}, 1)
        if narrowed.get("type") != "object":
            raise _Loose
        for word in ("$defs", "definitions"):
            if isinstance(self.root.get(word), Mapping):
                narrowed[word] = {name: self._schema(below, 1) for name, below in self.root[word].items()}
        return narrowed

    def _schema(self, schema: Any, level: int) -> dict[str, Any]:
        if not isinstance(schema, Mapping) or any(schema.get(word) for word in _UNSUPPORTED):
            raise _Loose
        schema = _merged(schema)
        kept = {word: value for word, value in schema.items() if word in _KEPT}
        notes = [f"{word}: {json.dumps(schema[word], default=str)}" for word in _NOTED if schema.get(word) is not None]
        if "pattern" in kept and _LOOKAROUND.search(str(kept["pattern"])):
            notes.append(f"pattern: {kept.pop('pattern')}")
        if "format" in kept and kept["format"] not in _FORMATS:
            notes.append(f"format: {kept.pop('format')}")
        if notes:
            kept["description"] = f"{kept.get('description', '')} ({', '.join(notes)})".strip()
        options = schema.get("anyOf") or schema.get("oneOf")
        if "$ref" in kept:
            return _reference(kept)
        if options:
            if "properties" in schema or (schema.get("anyOf") and schema.get("oneOf")):
                raise _Loose
            kept["anyOf"] = [self._schema(option, level) for option in options]
            return kept
        self._add_structure(kept, schema, level)
        return kept

    def _add_structure(self, kept: dict[str, Any], schema: Mapping[str, Any], level: int) -> None:
        members = kept["enum"] if "enum" in kept else [kept["const"]] if "const" in kept else None
        if members is not None:
            self.members += len(members)
            kept.setdefault("type", _type_of(members))
            if isinstance(kept["type"], list) and len(kept["type"]) == 1:
                kept["type"] = kept["type"][0]
        declared = kept.get("type")
        types = declared if isinstance(declared, list) else [declared]
        if not declared or self.members > _MAX_MEMBERS:
            raise _Loose
        if "object" in types:
            self._close_object(kept, schema, level)
        if "array" in types:
            kept["items"] = self._schema(schema.get("items"), level)

    def _close_object(self, kept: dict[str, Any], schema: Mapping[str, Any], level: int) -> None:
        properties = schema.get("properties", {} if schema.get("additionalProperties") is False else None)
        if not isinstance(properties, Mapping) or schema.get("additionalProperties") or level > _MAX_LEVELS:
            raise _Loose
        required = schema.get("required", [])
        if not isinstance(required, list) or any(name not in properties for name in required):
            raise _Loose
        self.properties += len(properties)
        if self.properties > _MAX_PROPERTIES:
            raise _Loose
        kept["properties"] = {
            name: self._property(below, level + 1, optional=name not in required) for name, below in properties.items()
        }
        kept["required"] = list(properties)
        kept["additionalProperties"] = False

    def _property(self, schema: Any, level: int, *, optional: bool) -> dict[str, Any]:
        narrowed = self._schema(schema, level)
        if not optional or shape_of(schema, self.root).fits(None):
            return narrowed
        return _nullable(narrowed)


def _merged(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema with an ``allOf`` of one, which some generators write around references, taken in."""
    parts = schema.get("allOf")
    if not parts:
        return schema
    if len(parts) > 1 or not isinstance(parts[0], Mapping) or "allOf" in parts[0]:
        raise _Loose
    own = {word: value for word, value in schema.items() if word != "allOf"}
    if own.keys() & parts[0].keys() - {"description", "title"}:
        raise _Loose
    return {**parts[0], **own}


def _reference(kept: dict[str, Any]) -> dict[str, Any]:
    """A reference stands alone; its description goes to a union of one around it."""
    reference = {"$ref": kept.pop("$ref")}
    if not reference["$ref"].startswith(("#/$defs/", "#/definitions/")) and reference["$ref"] != "#":
        raise _Loose
    if kept.keys() - {"description"}:
        raise _Loose
    return {"description": kept["description"], "anyOf": [reference]} if kept else reference


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    if "$ref" in schema or "const" in schema:
        own = {"description": schema["description"]} if "description" in schema else {}
        option = {word: value for word, value in schema.items() if word != "description"}
        return {**own, "anyOf": [option, {"type": "null"}]}
    declared = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    nullable = {**schema, "type": [*declared, "null"]}
    if "enum" in schema:
        nullable["enum"] = [*schema["enum"], None]
    return nullable


def _type_of(members: list[Any]) -> list[str]:
    return list(dict.fromkeys(kind_of(member) for member in members))
