"""Whether a value is the one that a suite expects: a small notation, explained at the top of ``choice.toml``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any


def fits(expected: Any, value: Any) -> bool:
    """Whether a value is meant by the notation.

    A text fits in any case; ``|`` separates alternatives and ``*`` stands for anything. Numbers fit when they are
    equal, also when they stand in a text. Lists fit item by item, objects by the members that are expected.
    """
    if isinstance(expected, str):
        text = (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).strip().casefold()
        return any(_like(text, pattern.strip().casefold()) for pattern in expected.split("|"))
    if isinstance(expected, bool) or expected is None:
        return value is expected
    if isinstance(expected, int | float):
        return _number(value) == expected
    if isinstance(expected, Mapping):
        return isinstance(value, Mapping) and all(fits(part, value.get(name)) for name, part in expected.items())
    if isinstance(expected, list | tuple):
        return isinstance(value, list | tuple) and len(value) == len(expected) and all(map(fits, expected, value))
    return bool(expected == value)


def _like(text: str, pattern: str) -> bool:
    # Brackets are ordinary characters here: paths and expressions have them.
    return fnmatchcase(text, pattern.replace("[", "[[]"))


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        return float(str(value).replace(",", ""))
    except ValueError:
        return None


def told(expected: str, answer: str) -> bool:
    """Whether one of the alternatives stands in an answer; ``1,234`` counts as ``1234``."""
    plain = answer.casefold()
    bare = plain.replace(",", "")
    return any(part.strip().casefold() in plain or part.strip().casefold() in bare for part in expected.split("|"))
