"""Bring a value into the shape that its schema asks for, where the schema leaves no doubt what it means.

Never invents: no key is renamed, no unknown property dropped, no default filled in, no text split or cut.
A value that fits comes back as the same object. Where two readings are equally plain, none is taken.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from react_engine.shapes.shape import MAX_DEPTH, Shape, fits, is_seconds, kind_of, same
from react_engine.shapes.text import read_number, read_structure, spelling

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Repair:
    """One change made to a value: its name, where, and whether another meaning was possible (``lossy``)."""

    name: str
    path: Path = ()
    lossy: bool = False


@dataclass(frozen=True, slots=True)
class Coerced:
    """A value in its shape, what was changed to get there, and whether it fits now."""

    value: Any
    repairs: tuple[Repair, ...] = ()
    fits: bool = True


class _Mended(NamedTuple):
    value: Any
    repairs: tuple[Repair, ...]
    fits: bool


_SEQUENCES = frozenset({"tuple", "set", "frozenset"})
_NULL_WORDS = frozenset({"null", "none"})
_BOOLEANS = {"true": True, "false": False}


def coerce(value: Any, shape: Shape) -> Coerced:
    """The value as the shape wants it.

    The schema makes plain: numbers, booleans, null, arrays and objects written as text; a number where text
    belongs; 0 or 1 for a boolean; one item for a list of it, a list of one for an item; an enum member in
    other case, quotes or separators; null for an optional property that cannot be null (it is left out).
    Text stays as it is wherever the schema takes text. What does not fit stays as it was, the rest is mended.
    """
    if fits(value, shape, exact=True):
        return Coerced(value)
    try:
        mended = _Mender().mend(value, shape, 0)
    except RecursionError:  # called from deep inside somebody else's recursion
        return Coerced(value, (), False)
    return Coerced(mended.value, mended.repairs, mended.fits)


class _Mender:
    """One pass over one value. The memos keep unions and lists of lists linear; they hold what their ids belong to."""

    def __init__(self) -> None:
        self.memo: dict[tuple[int, int, bool], tuple[Any, _Mended]] = {}
        self.fitting: dict[tuple[int, int], bool] = {}
        self.read: dict[int, tuple[str, Any]] = {}

    def mend(self, value: Any, shape: Shape, depth: int, *, wrap: bool = True) -> _Mended:
        if shape.anything:
            return _Mended(value, (), True)
        if depth > MAX_DEPTH:
            return _Mended(value, (), False)
        if not isinstance(value, (dict, list)) and not (shape.options or shape.also):
            return self._typed(value, shape, depth, wrap)
        key = (id(value), id(shape), wrap)
        if key not in self.memo:
            self.memo[key] = (value, _Mended(value, (), False))  # what a shape gets that asks for itself
            self.memo[key] = (value, self._union(value, shape, depth, wrap))
        return self.memo[key][1]

    def _union(self, value: Any, shape: Shape, depth: int, wrap: bool) -> _Mended:
        mended = self._typed(value, shape, depth, wrap)
        if shape.options:
            mended = _then(mended, self._option(mended.value, shape.options, depth))
        for other in shape.also:
            mended = _then(mended, self.mend(mended.value, other, depth + 1))
        return mended

    def _option(self, value: Any, options: tuple[Shape, ...], depth: int) -> _Mended:
        """The option that fits untouched, or else the one that needs the fewest repairs, if it is one."""
        for option in options:
            if fits(value, option, True, depth + 1, self.fitting):
                return _Mended(value, (), True)
        tried = [self.mend(value, option, depth + 1) for option in options]
        fitting = sorted((mended for mended in tried if mended.fits), key=lambda mended: len(mended.repairs))
        if not fitting:
            return _Mended(value, (), False)
        best = fitting[0]
        for other in fitting[1:]:
            if len(other.repairs) == len(best.repairs) and not same(other.value, best.value):
                return _Mended(value, (), False)
        return best

    def _typed(self, value: Any, shape: Shape, depth: int, wrap: bool) -> _Mended:
        """By types, enum, properties and items, the options left aside."""
        kind = kind_of(value)
        if kind in _SEQUENCES and (not shape.types or "array" in shape.types):
            repair = Repair("tuple-to-list") if kind == "tuple" else Repair("set-to-list", lossy=True)
            items = list(value) if kind == "tuple" else sorted(value, key=repr)
            return _after(repair, self.mend(items, shape, depth + 1))
        if shape.enum is not None:
            return self._member(value, kind, shape, depth)
        if kind == "number" and not math.isfinite(value):
            return _Mended(value, (), False)
        if shape.types and kind not in shape.accepts:
            return self._other_type(value, kind, shape, depth, wrap)
        if kind == "object":
            return self._object(value, shape, depth)
        if kind == "array":
            return self._array(value, shape, depth)
        return _Mended(value, (), not is_seconds(value, shape))

    def _member(self, value: Any, kind: str, shape: Shape, depth: int) -> _Mended:
        """A member of an enum, also where it is spelled differently, when one member alone is meant."""
        members = shape.enum or ()
        for member in members:
            if same(value, member):
                whole = kind == "number" and isinstance(member, int)
                return _Mended(member, (Repair("integral-float"),), True) if whole else _Mended(value, (), True)
        if kind == "array" and len(value) == 1 and not any(isinstance(member, list) for member in members):
            return _after(Repair("unwrapped-item"), self.mend(value[0], shape, depth + 1))
        meant: list[tuple[str, Any]] = []
        if kind == "string":
            for spell in (str.strip, spelling):
                if close := [m for m in members if isinstance(m, str) and spell(m) == spell(value)]:
                    meant = [("enum-spelling", member) for member in close]
                    break
            else:
                meant = [(name, m) for name, read in _scalar_readings(value) for m in members if same(read, m)]
        elif kind in ("integer", "number", "boolean"):
            text = _number_text(value)
            meant = [("string-from-number", member) for member in members if isinstance(member, str) and member == text]
        if len(meant) != 1:
            return _Mended(value, (), False)
        return _Mended(meant[0][1], (Repair(meant[0][0]),), True)

    def _other_type(self, value: Any, kind: str, shape: Shape, depth: int, wrap: bool) -> _Mended:
        """A value of a type that the shape does not take: the plainest reading as one that it takes."""
        mended = None
        if kind == "string":
            mended = self._from_text(value, shape, depth)
        elif kind in ("integer", "number", "boolean"):
            mended = _from_number(value, kind, shape)
        elif kind == "array" and len(value) == 1:
            mended = _after(Repair("unwrapped-item"), self.mend(value[0], shape, depth + 1))
        if mended is not None and mended.fits:
            return mended
        if wrap and "array" in shape.types and not _is_blank(value):
            wrapped = self._wrapped(value, shape, depth)
            if wrapped.fits:
                return wrapped
        # An object that was written as text and lacks a field is still an object that lacks a field.
        half = mended is not None and kind_of(mended.value) in shape.accepts
        return mended if mended is not None and half else _Mended(value, (), False)

    def _from_text(self, text: str, shape: Shape, depth: int) -> _Mended | None:
        for name, value in _scalar_readings(text):
            if kind_of(value) in shape.accepts:
                return _Mended(value, (Repair(name),), True)
            if "integer" in shape.types and (whole := read_number(text, whole=True)) is not None:
                return _Mended(whole, (Repair(name),), True)
        if shape.types & {"array", "object"} or text[:1] == '"':
            if id(text) not in self.read:
                self.read[id(text)] = (text, read_structure(text))
            name, value = self.read[id(text)][1]
            if name:
                return _after(Repair(name), self.mend(value, shape, depth + 1))
        return None

    def _wrapped(self, value: Any, shape: Shape, depth: int) -> _Mended:
        """One item where a list of it belongs."""
        if len(shape.prefix) > 1 or (isinstance(value, str) and value.lstrip()[:1] == "["):
            return _Mended(value, (), False)  # a broken list is no item
        item_shape = shape.prefix[0] if shape.prefix else shape.items
        if item_shape is None:
            return _Mended([value], (Repair("wrapped-item"),), True)
        item = self.mend(value, item_shape, depth + 1)
        if not item.fits:
            return _Mended(value, (), False)
        return _Mended([item.value], (Repair("wrapped-item"), *_below(0, item.repairs)), True)

    def _object(self, value: dict[str, Any], shape: Shape, depth: int) -> _Mended:
        result, repairs, good = value, list[Repair](), True
        for key, item in value.items():
            below = shape.properties.get(key, shape.additional)
            if below is False:
                good = False
            if isinstance(below, bool):
                continue
            mended = self.mend(item, below, depth + 1)
            dropped = not mended.fits and key in shape.properties and key not in shape.required and _is_null(item)
            if (dropped or mended.value is not item) and result is value:
                result = dict(value)
            if dropped:
                del result[key]
                repairs.append(Repair("null-dropped", (key,)))
                continue
            if result is not value:
                result[key] = mended.value
            repairs.extend(_below(key, mended.repairs))
            good = good and mended.fits
        return _Mended(result, tuple(repairs), good and shape.required <= result.keys())

    def _array(self, value: list[Any], shape: Shape, depth: int) -> _Mended:
        result, repairs, good = value, list[Repair](), True
        for index, item in enumerate(value):
            below = shape.prefix[index] if index < len(shape.prefix) else shape.items
            if below is None:
                break
            # In a list of lists, [1, 2] is one inner list, not two of one item each.
            mended = self.mend(item, below, depth + 1, wrap=False)
            if mended.value is not item:
                if result is value:
                    result = list(value)
                result[index] = mended.value
            repairs.extend(_below(index, mended.repairs))
            good = good and mended.fits
        if not good and not shape.prefix and shape.items is not None and shape.items.allows("array"):
            whole = self._wrapped(value, shape, depth)
            if whole.fits:
                return whole
        return _Mended(result, tuple(repairs), good)


def _scalar_readings(text: str) -> list[tuple[str, Any]]:
    """What a text can stand for: null, a boolean or a number, with the name of the repair."""
    word = text.strip().lower()
    if word in _NULL_WORDS:
        return [("null-in-string", None)]
    if word in _BOOLEANS:
        return [("boolean-in-string", _BOOLEANS[word])]
    number = read_number(text)
    return [] if number is None else [("number-in-string", number)]


def _from_number(value: Any, kind: str, shape: Shape) -> _Mended | None:
    if kind == "number" and "integer" in shape.types and float(value).is_integer():
        return _Mended(int(value), (Repair("integral-float"),), True)
    if kind != "boolean" and "boolean" in shape.types and value in (0, 1):
        if "string" in shape.types:
            return None
        return _Mended(bool(value), (Repair("boolean-from-number"),), True)
    if "string" in shape.types:
        text = _number_text(value)
        if text and not is_seconds(text, shape):
            # 3.10 has become 3.1 on the way: of a float the spelling is lost
            return _Mended(text, (Repair("string-from-number", lossy=kind == "number"),), True)
    return None


def _number_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    try:
        return str(value)
    except ValueError:  # more digits than Python converts
        return ""


def _is_null(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() in _NULL_WORDS)


def _is_blank(value: Any) -> bool:
    return _is_null(value) or (isinstance(value, str) and not value.strip())


def _below(key: str | int, repairs: tuple[Repair, ...]) -> list[Repair]:
    return [Repair(repair.name, (key, *repair.path), repair.lossy) for repair in repairs]


def _after(repair: Repair, mended: _Mended) -> _Mended:
    return _Mended(mended.value, (repair, *mended.repairs), mended.fits)


def _then(first: _Mended, second: _Mended) -> _Mended:
    return _Mended(second.value, first.repairs + second.repairs, first.fits and second.fits)
