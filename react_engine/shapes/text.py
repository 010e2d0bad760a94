"""Values that were written as text: numbers, JSON and Python literals, read without guessing."""

from __future__ import annotations

import ast
import json
import math
import re
from decimal import Decimal
from typing import Any

from react_engine.shapes.shape import MAX_DEPTH

_NUMBER = re.compile(r"(?P<sign>[+-]?)(?:(?P<whole>\d+)(?P<rest>\.\d*)?|\.\d+)(?P<power>[eE][+-]?\d{1,3})?")
_MAX_DIGITS = 4000  # Python converts no longer ones
_MAX_LITERAL = 20_000  # ast takes about a hundred times the memory of the text
# Tokens of a Python literal. Each scalar is followed by a separator, so that adjacent strings are not joined.
_LITERAL = re.compile(
    r"""(?:
        [\[\](){},:\s]
      | (?: -?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})? | True | False | None
          | '(?:[^'\\\n]|\\(?:[\\'"nrtbf]|u[0-9a-fA-F]{4}))*+' | "(?:[^"\\\n]|\\(?:[\\'"nrtbf]|u[0-9a-fA-F]{4}))*+"
        ) (?=\s*(?:[\]}),:]|$))
    )*+""",
    re.VERBOSE,
)
_SEPARATORS = re.compile(r"(?<=\w)[\s_-]+(?=\w)")


def read_number(text: str, *, whole: bool = False) -> int | float | None:
    """The number that a text is, or None. Integers of any size are exact; ``whole`` reads ``2e3`` as one and ``2.5`` as None."""
    text = text.strip()
    if len(text) > _MAX_DIGITS:
        return None
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    if match["whole"] and not match["rest"] and not match["power"]:
        return int(text)
    if whole:
        exact = Decimal(text)
        return int(exact) if exact == exact.to_integral_value() else None
    number = float(text)
    return number if math.isfinite(number) else None


def read_structure(text: str) -> tuple[str, Any]:
    """The object, array or quoted text that a text holds, with the name of the repair; ``("", None)`` if none."""
    text = text.strip()
    if text[:1] not in ("{", "[", "(", '"'):
        return "", None
    try:
        return "json-in-string", json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        pass
    if len(text) > _MAX_LITERAL or not _LITERAL.fullmatch(text) or _nesting(text) > MAX_DEPTH:
        return "", None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return "", None
    return ("literal-in-string", value) if _is_plain(value) else ("", None)


def spelling(text: str) -> str:
    """A word without case, quotes and separators, for comparison with the members of an enum."""
    return _SEPARATORS.sub("", text.strip().strip("\"'`“”‘’「」").strip()).casefold()


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def _nesting(text: str) -> int:
    depth = deepest = 0
    for char in text:
        if char in "[({":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "])}":
            depth -= 1
    return deepest


def _is_plain(value: Any) -> bool:
    """Whether a literal is a dict or list that JSON could have written too: no sets, no keys but text."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return all(_is_plain(item) for item in value)
    return value is None or isinstance(value, (str, bool, int, float))
