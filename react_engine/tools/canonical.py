"""One text for equal arguments, for cache keys and for noticing repeated calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any

_FLAT = frozenset({str, bool, type(None)})
_SORTED = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_CLOSERS = {"{": "}", "[": "]"}


class _Mark(str):
    """Text that goes into the output as it is, told apart from strings that are values."""

    __slots__ = ()


def canonical(arguments: Any) -> str:
    """JSON with sorted keys and without blanks, the same for equal values: ``1.0`` as ``1``, tuples as lists.

    What JSON cannot write stands as its ``repr``; a container inside itself as ``<cycle>``. Nesting
    may be of any depth, and the time is linear but for the sorting of keys.
    """
    if type(arguments) is dict and _is_flat(arguments):
        return _SORTED.encode(arguments)  # what nearly all calls are
    written: list[str] = []
    stack: list[Any] = [arguments]
    opened: list[int] = []
    inside: set[int] = set()
    while stack:
        value = stack.pop()
        if isinstance(value, _Mark):
            written.append(value)
            if value in ("}", "]"):
                inside.discard(opened.pop())
        elif isinstance(value, (Mapping, list, tuple, set, frozenset)):
            if id(value) in inside:
                written.append('"<cycle>"')
                continue
            opened.append(id(value))
            inside.add(id(value))
            stack.extend(reversed(list(_parts(value))))
        else:
            written.append(_scalar(value))
    return "".join(written)


def _is_flat(arguments: Mapping[Any, Any]) -> bool:
    return all(type(key) is str and type(value) in _FLAT for key, value in arguments.items())


def _parts(value: Any) -> Iterator[Any]:
    opener = "{" if isinstance(value, Mapping) else "["
    yield _Mark(opener)
    if isinstance(value, Mapping):
        named = [(_key(key), item) for key, item in value.items()]
        for number, (key, item) in enumerate(sorted(named, key=itemgetter(0))):
            yield _Mark(f",{key}:" if number else f"{key}:")
            yield item
    else:
        items = sorted(value, key=canonical) if isinstance(value, (set, frozenset)) else value
        for number, item in enumerate(items):
            if number:
                yield _Mark(",")
            yield item
    yield _Mark(_CLOSERS[opener])


def _key(key: Any) -> str:
    return json.dumps(key) if isinstance(key, str) else json.dumps(f"{key!r}")


def _scalar(value: Any) -> str:
    if value is None or isinstance(value, (bool, str)):
        return json.dumps(value)
    if isinstance(value, int):
        return str(int(value)) if value.bit_length() < 10_000 else hex(value)  # Python refuses longer decimals
    if isinstance(value, float):
        if value.is_integer():
            return _scalar(int(value))
        return json.dumps(value)  # NaN and Infinity get their names
    try:
        return json.dumps(repr(value))
    except Exception:  # a repr that fails is no reason to stop a run  # noqa: BLE001
        return json.dumps(f"<{type(value).__name__} at {id(value)}>")
