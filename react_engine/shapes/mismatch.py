"""What is wrong with a value that does not fit its shape, place by place."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from react_engine.shapes.shape import MAX_DEPTH, Shape, fits, kind_of, same, type_text

_MAX_PROBLEMS = 20
Kind = Literal["type", "enum", "missing", "unknown", "deep"]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One place where a value does not fit.

    ``expected`` and ``found`` are short texts for people and models. ``choices``: the members of an enum, or the
    property names that were possible where an unknown one stands.
    """

    path: tuple[str | int, ...]
    expected: str
    found: str
    kind: Kind = "type"
    choices: tuple[str, ...] = ()


def problems(value: Any, shape: Shape) -> tuple[Mismatch, ...]:
    """Every place where the value does not fit (the first 20); empty if it fits."""
    return tuple(islice(_problems(value, shape, (), {}), _MAX_PROBLEMS))


def shown(value: Any, limit: int = 60) -> str:
    """A value as a model would write it, shortened."""
    kind = kind_of(value)
    if kind in ("object", "array"):
        if len(value) > 20:
            return f"{'an object' if kind == 'object' else 'an array'} with {len(value)} entries"
        try:
            text = json.dumps(value, ensure_ascii=False, default=str)
        except (ValueError, TypeError, RecursionError):
            return f"{'an object' if kind == 'object' else 'an array'}"
    elif kind == "string":
        text = json.dumps(value[: limit + 1], ensure_ascii=False)
    elif value is None or isinstance(value, (bool, float)):
        text = json.dumps(value)
    elif isinstance(value, int):
        text = f"{value:d}" if value.bit_length() < 1000 else f"an integer of {value.bit_length()} bits"
    else:
        text = f"a {kind}"
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be sent
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _problems(value: Any, shape: Shape, path: tuple[str | int, ...], memo: dict[Any, bool]) -> Iterator[Mismatch]:
    if shape.anything or fits(value, shape, False, len(path), memo):
        return
    if len(path) > MAX_DEPTH:
        yield Mismatch(path[:3], f"at most {MAX_DEPTH} levels of nesting", "more", "deep")
        return
    kind = kind_of(value)
    base = _without_options(shape)
    if base.enum is not None and not any(same(value, member) for member in base.enum):
        choices = tuple(member for member in base.enum if isinstance(member, str))
        yield Mismatch(path, type_text(base), shown(value), "enum", choices)
    elif not _type_fits(value, kind, base):
        yield Mismatch(path, _expected(base), shown(value))
    else:
        if kind == "object":
            yield from _object_problems(value, base, path, memo)
        elif kind == "array":
            for index, item in enumerate(value):
                below = shape.prefix[index] if index < len(shape.prefix) else shape.items
                if below is not None:
                    yield from _problems(item, below, (*path, index), memo)
        yield from _option_problems(value, kind, shape.options, path, memo)
        for other in shape.also:
            yield from _problems(value, other, path, memo)


def _object_problems(
    value: dict[str, Any], shape: Shape, path: tuple[str | int, ...], memo: dict[Any, bool]
) -> Iterator[Mismatch]:
    for name in shape.properties | dict.fromkeys(sorted(shape.required)):
        if name in shape.required and name not in value:
            missing = shape.properties.get(name)
            yield Mismatch((*path, name), _expected(missing) if missing else "any", "nothing", "missing")
    for key, item in value.items():
        below = shape.properties.get(key, shape.additional)
        if isinstance(below, Shape):
            yield from _problems(item, below, (*path, key), memo)
        elif not below:
            choices = tuple(name for name in shape.properties if name not in value)
            yield Mismatch((*path, key), "no such field", shown(item), "unknown", choices)


def _option_problems(
    value: Any, kind: str, options: tuple[Shape, ...], path: tuple[str | int, ...], memo: dict[Any, bool]
) -> Iterator[Mismatch]:
    """The problems of the one option that is meant, told by its type or its constants; else the list of them."""
    if not options or any(fits(value, option, False, len(path), memo) for option in options):
        return
    meant = [option for option in options if option.allows(kind)]
    if kind == "object" and len(meant) > 1:
        meant = [option for option in meant if _constants_fit(value, option)] or meant
    tag = _tag(value, meant) if kind == "object" else None
    if len(meant) == 1:
        yield from _problems(value, meant[0], path, memo)
    elif tag is not None:
        known = [member for option in meant for member in option.properties[tag].enum or ()]
        expected = " | ".join(dict.fromkeys(type_text(option.properties[tag]) for option in meant))
        choices = tuple(member for member in known if isinstance(member, str))
        yield Mismatch((*path, tag), expected, shown(value[tag]), "enum", choices)
    else:
        expected = " | ".join(dict.fromkeys(_expected(option) for option in options))
        yield Mismatch(path, expected, shown(value))


def _constants_fit(value: dict[str, Any], option: Shape) -> bool:
    tags = {key: below for key, below in option.properties.items() if below.enum is not None and key in value}
    return bool(tags) and all(fits(value[key], below) for key, below in tags.items())


def _tag(value: dict[str, Any], options: list[Shape]) -> str | None:
    """The field that tells the options apart, where the value has it with something that none of them knows."""
    for name, item in value.items():
        below = [option.properties.get(name) for option in options]
        if all(shape is not None and shape.enum is not None and not fits(item, shape) for shape in below):
            return name
    return None


def _without_options(shape: Shape) -> Shape:
    if not (shape.options or shape.also):
        return shape
    base = Shape(shape.types)
    base.properties, base.required, base.additional = shape.properties, shape.required, shape.additional
    base.items, base.prefix, base.enum, base.format = shape.items, shape.prefix, shape.enum, shape.format
    base.seal()
    return base


def _type_fits(value: Any, kind: str, shape: Shape) -> bool:
    bare = Shape(shape.types)
    bare.format = shape.format
    bare.seal()
    return fits(value, bare) and (kind != "number" or math.isfinite(value))


def _expected(shape: Shape) -> str:
    text = type_text(shape)
    return f"{text} ({shape.format})" if shape.format and "string" in shape.types else text
