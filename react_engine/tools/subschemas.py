"""Where schemas stand inside a schema: not in data such as ``enum``, and not where the names of properties are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from react_engine.shapes import resolve_pointer

NAMED = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
"""Keywords that map names to schemas."""
LISTED = ("anyOf", "oneOf", "allOf", "prefixItems", "items")
"""Keywords that may hold a list of schemas."""
SINGLE = (
    "items", "additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems", "not", "if",
    "then", "else", "contains", "propertyNames", "contentSchema",
)  # fmt: skip
"""Keywords that may hold one schema."""


def subschemas(schema: Any) -> Iterator[dict[str, Any]]:
    """The schema and every schema inside it, those that its references point to included, each once."""
    stack, seen = [schema], set[int]()
    while stack:
        current = stack.pop()
        if not isinstance(current, dict) or id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        for word in NAMED:
            if isinstance(current.get(word), Mapping):
                stack.extend(current[word].values())
        for word in LISTED:
            if isinstance(current.get(word), list):
                stack.extend(current[word])
        stack.extend(current[word] for word in SINGLE if isinstance(current.get(word), dict))
        if isinstance(current.get("$ref"), str):
            try:
                stack.append(resolve_pointer(schema, current["$ref"]))
            except LookupError:
                continue
