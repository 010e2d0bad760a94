"""A compiled schema: which structure a value must have, and whether it has it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 100
"""Values nested deeper than this never fit a schema that has something to say there. Unions count as a level."""

NOTHING = frozenset({"nothing"})
"""The types of a schema that no value fits (``false``, or ``allOf`` of a string and a number)."""

TYPE_ORDER = ("string", "integer", "number", "boolean", "array", "object", "null")
_KINDS: dict[type, str] = {
    str: "string", bool: "boolean", int: "integer", float: "number",
    type(None): "null", dict: "object", list: "array",
}  # fmt: skip
_TEMPORAL = frozenset({"date", "date-time", "time", "duration"})
_DIGITS = re.compile(r"\s*[+-]?\d+(?:\.\d*)?\s*")


class Shape:
    """The structure that a schema asks for. Limits such as ``minimum`` or ``pattern`` are the validator's.

    ``types``: JSON type names, empty for anything. ``properties``, ``required`` and ``additional`` speak of
    objects (``additional``: whether unknown properties are allowed, or their shape), ``items`` and ``prefix``
    of arrays. ``enum``: the allowed values, or None. ``options``: one of these must fit as well (``anyOf``,
    ``oneOf``); unions that differ by type alone are merged into ``types`` when compiled. ``also``: further
    shapes that must all fit. ``format`` is the schema's annotation.
    """

    __slots__ = (
        "accepts",
        "additional",
        "also",
        "anything",
        "enum",
        "format",
        "items",
        "options",
        "prefix",
        "properties",
        "required",
        "types",
    )

    def __init__(self, types: frozenset[str] = frozenset()) -> None:
        self.types = types
        self.accepts = types
        self.properties: dict[str, Shape] = {}
        self.required: frozenset[str] = frozenset()
        self.additional: bool | Shape = True
        self.items: Shape | None = None
        self.prefix: tuple[Shape, ...] = ()
        self.enum: tuple[Any, ...] | None = None
        self.options: tuple[Shape, ...] = ()
        self.also: tuple[Shape, ...] = ()
        self.format: str = ""
        self.anything = not types

    def seal(self) -> None:
        """Derive ``accepts`` and ``anything`` once the other fields are set."""
        self.accepts = self.types | {"integer"} if "number" in self.types else self.types
        self.anything = not (
            self.types
            or self.properties
            or self.required
            or self.items
            or self.prefix
            or self.options
            or self.also
            or self.enum is not None
            or self.additional is not True
        )

    def allows(self, type_name: str) -> bool:
        """Whether values of this JSON type can fit; a number type allows integers."""
        if self.types and type_name not in self.accepts:
            return False
        if self.enum is not None and not any(_is_of(member, type_name) for member in self.enum):
            return False
        if self.options and not any(option.allows(type_name) for option in self.options):
            return False
        return all(shape.allows(type_name) for shape in self.also)

    def without_null(self) -> Shape:
        """The same shape for a value that is there."""
        if not self.allows("null") or not (self.types or self.enum is not None or self.options):
            return self
        shape = Shape(self.types - {"null"} or self.types)
        shape.properties, shape.required, shape.additional = self.properties, self.required, self.additional
        shape.items, shape.prefix, shape.format, shape.also = self.items, self.prefix, self.format, self.also
        shape.enum = self.enum and (tuple(member for member in self.enum if member is not None) or self.enum)
        shape.options = tuple(option for option in self.options if option.types != {"null"}) or self.options
        shape.seal()
        return shape

    def fits(self, value: Any) -> bool:
        """Whether the value has this structure: types, enum, required and nested shapes, as in JSON Schema.

        ``True`` is no integer, ``1.0`` is one, NaN is nothing.
        """
        return fits(value, self)

    def __repr__(self) -> str:
        return f"<Shape {type_text(self)}>"


def kind_of(value: Any) -> str:
    """The JSON type name of a value (``integer`` for ints, ``number`` for floats), or its Python type's name."""
    kind = _KINDS.get(type(value))
    if kind is not None:
        return kind
    for base in (str, bool, int, float, dict, list):  # subclasses such as StrEnum
        if isinstance(value, base):
            return _KINDS[base]
    return type(value).__name__


def _is_of(value: Any, type_name: str) -> bool:
    kind = kind_of(value)
    return kind == type_name or (kind == "integer" and type_name == "number")


def fits(
    value: Any,
    shape: Shape,
    exact: bool = False,
    depth: int = 0,
    memo: dict[tuple[int, int], bool] | None = None,
) -> bool:
    """Whether a value has the structure. ``exact``: an integer must be an ``int``, ``3.0`` does not do.

    ``memo`` keeps nested unions linear: without it each level would try every option again.
    """
    if shape.anything:
        return True
    if depth > MAX_DEPTH:
        return False
    kind = _KINDS.get(type(value)) or kind_of(value)
    if kind not in shape.accepts and shape.types and not _is_integral(value, kind, shape, exact):
        return False
    if kind == "number" and not math.isfinite(value):
        return False
    if shape.enum is not None and not any(same(value, member) for member in shape.enum):
        return False
    if kind == "object" and not _object_fits(value, shape, exact, depth, memo):
        return False
    if kind == "array" and not _array_fits(value, shape, exact, depth, memo):
        return False
    if shape.format and kind == "string" and is_seconds(value, shape):
        return False
    if shape.options or shape.also:
        return _union_fits(value, shape, exact, depth, {} if memo is None else memo)
    return True


def is_seconds(value: Any, shape: Shape) -> bool:
    """Whether a bare number stands where a date or time belongs: readers would take it for seconds since 1970."""
    return shape.format in _TEMPORAL and isinstance(value, str) and _DIGITS.fullmatch(value) is not None


def _is_integral(value: Any, kind: str, shape: Shape, exact: bool) -> bool:
    return kind == "number" and not exact and "integer" in shape.accepts and float(value).is_integer()


def _object_fits(value: Any, shape: Shape, exact: bool, depth: int, memo: dict[tuple[int, int], bool] | None) -> bool:
    if not shape.required <= value.keys():
        return False
    properties, additional = shape.properties, shape.additional
    for key, item in value.items():
        below = properties.get(key)
        if below is None:
            if additional is True:
                continue
            if additional is False:
                return False
            below = additional
        if not fits(item, below, exact, depth + 1, memo):
            return False
    return True


def _array_fits(value: Any, shape: Shape, exact: bool, depth: int, memo: dict[tuple[int, int], bool] | None) -> bool:
    if shape.prefix and not all(
        fits(item, below, exact, depth + 1, memo) for item, below in zip(value, shape.prefix, strict=False)
    ):
        return False
    items = shape.items
    if items is None or items.anything:
        return True
    rest = value[len(shape.prefix) :] if shape.prefix else value
    return all(fits(item, items, exact, depth + 1, memo) for item in rest)


def _union_fits(value: Any, shape: Shape, exact: bool, depth: int, memo: dict[tuple[int, int], bool]) -> bool:
    key = (id(value), id(shape))
    known = memo.get(key)
    if known is None:
        known = memo[key] = (
            not shape.options or any(fits(value, option, exact, depth + 1, memo) for option in shape.options)
        ) and all(fits(value, other, exact, depth + 1, memo) for other in shape.also)
    return known


def same(left: Any, right: Any, depth: int = 0) -> bool:
    """Whether two values are equal as JSON: ``1`` equals ``1.0``, ``True`` does not equal ``1``."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return (
            depth < MAX_DEPTH
            and len(left) == len(right)
            and all(same(a, b, depth + 1) for a, b in zip(left, right, strict=True))
        )
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return (
            depth < MAX_DEPTH
            and left.keys() == right.keys()
            and all(same(item, right[key], depth + 1) for key, item in left.items())
        )
    if isinstance(left, (list, Mapping)) or isinstance(right, (list, Mapping)):
        return False
    return bool(left == right)


def type_text(shape: Shape) -> str:
    """The shape in words for a prompt: ``"metric" | "imperial"``, ``list[string]``, ``{text: string, done?: boolean}``.

    Nested objects are written out as far as the text stays readable, at most four levels.
    """
    text = _type_text(shape, 1)
    for levels in range(2, 5):
        deeper = _type_text(shape, levels)
        if deeper == text or len(deeper) > 300:
            break
        text = deeper
    return text


def _type_text(shape: Shape, levels: int) -> str:
    if shape.enum is not None:
        return _enum_text(shape.enum)
    if shape.options and levels >= 0:
        return " | ".join(dict.fromkeys(_type_text(option, levels - 1) for option in shape.options))
    if shape.types == NOTHING:
        return "nothing"
    names = [name for name in TYPE_ORDER if name in shape.types]
    if not names:
        names = ["object"] if shape.properties else ["array"] if shape.items or shape.prefix else []
    return " | ".join(_one_type_text(name, shape, levels) for name in names) or "any"


def _enum_text(enum: tuple[Any, ...]) -> str:
    shown = [json.dumps(member, ensure_ascii=False, default=str) for member in enum[:30]]
    return " | ".join([*shown, "…"] if len(enum) > 30 else shown) or "nothing"


def _one_type_text(name: str, shape: Shape, levels: int) -> str:
    if levels <= 0:
        return "list" if name == "array" else name
    if name == "array":
        if shape.prefix:
            return f"[{', '.join(_type_text(item, levels - 1) for item in shape.prefix)}]"
        return f"list[{_type_text(shape.items, levels - 1)}]" if shape.items else "list"
    if name == "object":
        if shape.properties:
            fields = (
                f"{key}{'' if key in shape.required else '?'}: {_type_text(below, levels - 1)}"
                for key, below in shape.properties.items()
            )
            return f"{{{', '.join(fields)}}}"
        if isinstance(shape.additional, Shape):
            return f"map[string, {_type_text(shape.additional, levels - 1)}]"
    return name
