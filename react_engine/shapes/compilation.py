"""A JSON Schema becomes a ``Shape``: references followed, ``allOf`` merged, unions of plain types folded.

Works through a list rather than by recursion, so that neither deep nor recursive schemas overflow.
What it does not know it takes for "anything": refusing a broken schema is the validator's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from react_engine.shapes.shape import NOTHING, TYPE_ORDER, Shape, same

_ANYTHING = Shape()
_NOTHING = Shape(NOTHING)
_TYPE_NAMES = frozenset(TYPE_ORDER)
_MAX_SHAPES = 20_000  # combining ``allOf`` of recursive schemas can grow without end


def shape_of(schema: Any, root: Mapping[str, Any] | None = None) -> Shape:
    """Compile a JSON Schema. ``root`` is where its local references point to, if not into itself.

    Never raises: unknown keywords are ignored, and a reference that leads nowhere allows anything.
    """
    return _Compiler(schema if root is None else root).compile(schema)


def resolve_pointer(root: Any, reference: str) -> Any:
    """What a local reference such as ``#/$defs/Unit`` points to; raises ``LookupError`` if nothing is there."""
    if not reference.startswith("#"):
        raise LookupError(reference)
    target = root
    for raw in unquote(reference[1:]).split("/")[1:]:
        step = raw.replace("~1", "/").replace("~0", "~")
        if isinstance(target, Mapping) and step in target:
            target = target[step]
        elif isinstance(target, list) and step.isascii() and step.isdigit() and len(step) < 8:
            target = target[int(step)]
        else:
            raise LookupError(reference)
    if len(reference) > 1 and not reference.startswith("#/"):  # an anchor: not followed
        raise LookupError(reference)
    return target


class _Compiler:
    def __init__(self, root: Any) -> None:
        self.root = root
        self.known: dict[int | tuple[int, ...], Shape] = {}
        self.made: list[Shape] = []
        self.todo: list[tuple[Shape, list[Any]]] = []

    def compile(self, schema: Any) -> Shape:
        result = self._shape([schema])
        while self.todo:
            shape, schemas = self.todo.pop()
            self._fill(shape, schemas)
        for shape in reversed(self.made):  # children come after their parents
            _fold_options(shape)
            shape.seal()
        return result

    def _shape(self, schemas: list[Any]) -> Shape:
        """The shape that all of the schemas ask for together, filled later."""
        if any(schema is False for schema in schemas):
            return _NOTHING
        found: dict[int, Mapping[Any, Any]] = {}
        for schema in schemas:
            target = self._follow(schema)
            if target is False:
                return _NOTHING
            if isinstance(target, Mapping) and target:
                found[id(target)] = target
        if not found or len(self.made) >= _MAX_SHAPES:
            return _ANYTHING
        key = tuple(sorted(found))
        shape = self.known.get(key)
        if shape is None:
            shape = self.known[key] = Shape()
            self.made.append(shape)
            self.todo.append((shape, list(found.values())))
        return shape

    def _follow(self, schema: Any) -> Any:
        """The schema behind a chain of bare references."""
        seen: set[int] = set()
        while isinstance(schema, Mapping) and isinstance(schema.get("$ref"), str) and len(schema) == 1:
            if id(schema) in seen:
                return True
            seen.add(id(schema))
            schema = self._resolve(schema["$ref"])
        return schema

    def _resolve(self, reference: str) -> Any:
        try:
            return resolve_pointer(self.root, reference)
        except LookupError:
            return True

    def _parts(self, schemas: list[Any]) -> list[Mapping[Any, Any]] | None:
        """The schemas with everything that applies beside them; None if that excludes every value."""
        queue, seen = list(schemas), set[int]()
        parts: list[Mapping[Any, Any]] = []
        for schema in queue:  # grows while it is read
            if schema is False:
                return None
            if not isinstance(schema, Mapping) or id(schema) in seen:
                continue
            seen.add(id(schema))
            parts.append(schema)
            if isinstance(schema.get("$ref"), str):
                queue.append(self._resolve(schema["$ref"]))
            if isinstance(schema.get("allOf"), list):
                queue.extend(schema["allOf"])
        return parts

    def _fill(self, shape: Shape, schemas: list[Any]) -> None:
        parts = self._parts(schemas)
        if parts is None:
            shape.types = NOTHING
            return
        for part in parts:
            _restrict(shape, part)
        self._fill_object(shape, parts)
        self._fill_array(shape, parts)
        groups = [
            tuple(self._shape([option]) for option in part[word])
            for part in parts
            for word in ("anyOf", "oneOf")
            if isinstance(part.get(word), list) and part[word]
        ]
        if groups:
            shape.options = groups[0]
            shape.also = tuple(self._group(options) for options in groups[1:])

    def _group(self, options: tuple[Shape, ...]) -> Shape:
        shape = Shape()
        shape.options = options
        self.made.append(shape)
        return shape

    def _fill_object(self, shape: Shape, parts: list[Mapping[Any, Any]]) -> None:
        below: dict[str, list[Any]] = {}
        for part in parts:
            properties, required = part.get("properties"), part.get("required")
            if isinstance(properties, Mapping):
                for name, schema in properties.items():
                    below.setdefault(name, []).append(schema)
            if isinstance(required, (list, tuple)):
                shape.required |= {name for name in required if isinstance(name, str)}
            additional = part.get("additionalProperties", True)
            if isinstance(additional, Mapping) and shape.additional is True:
                shape.additional = self._shape([additional])
            elif additional is False and not part.get("patternProperties"):
                shape.additional = False
        shape.properties = {name: self._shape(schemas) for name, schemas in below.items()}
        if isinstance(shape.additional, Shape) and any("patternProperties" in part for part in parts):
            shape.additional = True

    def _fill_array(self, shape: Shape, parts: list[Mapping[Any, Any]]) -> None:
        for part in parts:
            prefix, items = part.get("prefixItems"), part.get("items", True)
            if isinstance(items, list):  # how drafts before 2020-12 wrote prefixItems
                prefix, items = items, part.get("additionalItems", True)
            if isinstance(prefix, list) and not shape.prefix:
                shape.prefix = tuple(self._shape([item]) for item in prefix)
            if shape.items is None and items is not True and isinstance(items, (Mapping, bool)):
                shape.items = self._shape([items])


def _restrict(shape: Shape, part: Mapping[Any, Any]) -> None:
    """Narrow types, enum and format by one schema."""
    declared, nullable = part.get("type"), part.get("nullable") is True  # nullable: OpenAPI
    names = {declared} if isinstance(declared, str) else set()
    if isinstance(declared, (list, tuple)):
        names = {name for name in declared if isinstance(name, str)}
    types = frozenset(names & _TYPE_NAMES)
    if types:
        shape.types = _meet(shape.types, types | {"null"} if nullable else types)
    members = part.get("enum")
    enum = tuple(members) if isinstance(members, (list, tuple)) else None
    if "const" in part:
        enum = (part["const"],)
    if enum is not None:
        if nullable and None not in enum:
            enum += (None,)
        known = shape.enum
        shape.enum = enum if known is None else tuple(m for m in known if any(same(m, other) for other in enum))
    if isinstance(part.get("format"), str):
        shape.format = part["format"]


def _meet(left: frozenset[str], right: frozenset[str]) -> frozenset[str]:
    if not left or left == right:
        return right
    common = left & right
    if "integer" in left | right and "number" in left | right:
        common |= {"integer"}
    return common or NOTHING


def _fold_options(shape: Shape) -> None:
    """Merge a union whose options differ by type alone: ``anyOf`` of a model and null is a nullable model."""
    options = shape.options
    bare = not (shape.types or shape.properties or shape.required or shape.items or shape.prefix)
    if not options or not bare or shape.enum is not None or shape.additional is not True or shape.also:
        return
    if any(option.options or option.also for option in options):
        return
    closed = [_closed_values(option) for option in options]
    if all(values is not None for values in closed):  # nothing but single values: one enum
        shape.enum = tuple(member for values in closed for member in values or ())
        if all(option.types for option in options):
            shape.types = frozenset().union(*(option.types for option in options))
        shape.options = ()
    elif all(option.enum is None for option in options) and _disjoint(options):
        _fold_types(shape, options)


def _fold_types(shape: Shape, options: tuple[Shape, ...]) -> None:
    shape.options = ()
    shape.types = frozenset().union(*(option.types for option in options))
    for option in options:
        if "object" in option.types:
            shape.properties, shape.required = option.properties, option.required
            shape.additional = option.additional
        if "array" in option.types:
            shape.items, shape.prefix = option.items, option.prefix
        if "string" in option.types:
            shape.format = option.format


def _disjoint(options: tuple[Shape, ...]) -> bool:
    seen: set[str] = set()
    for option in options:
        types = option.types | {"integer", "number"} if option.types & {"integer", "number"} else option.types
        if not types or types == NOTHING or types & seen:
            return False
        seen |= types
    return True


def _closed_values(option: Shape) -> tuple[Any, ...] | None:
    """All values that fit an option, where it says no more than that."""
    if option.properties or option.items or option.prefix or option.required or option.additional is not True:
        return None
    if option.enum is not None:
        return option.enum
    return (None,) if option.types == {"null"} else None
