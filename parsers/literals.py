"""Values as models write them: JSON, Python literals and what lies between.

``read_value`` first tries strict JSON at C speed and returns it untouched; ``react_engine.parsers.scanner``
reads the rest and reports every tolerance it needed. An unquoted scalar that is no JSON comes back as
``Bare``: only the schema can say whether ``007`` is a number or a code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from math import isinf
from typing import Any

from react_engine.parsers.lookahead import CallArguments, Container
from react_engine.parsers.near_json import read_near_json
from react_engine.parsers.scanner import Bare, Scanner, Value, number
from react_engine.parsers.strings import has_path_with_single_backslashes
from react_engine.parsers.tokens import MAX_DEPTH, NO_SPACE, SPACE, behind
from react_engine.types import Span, Tolerance

__all__ = [
    "Bare",
    "CallArguments",
    "Value",
    "number",
    "read_call_arguments",
    "read_members",
    "read_strict",
    "read_unescaped",
    "read_value",
    "read_values",
    "skip_blanks",
]


class _NotANumber(ValueError):
    """NaN and infinities are no JSON."""


def _no_constant(word: str) -> Any:
    raise _NotANumber(word)


def _finite(word: str) -> float:
    value = float(word)
    if isinf(value):
        raise _NotANumber(word)
    return value


_DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite)


def read_value(text: str, start: int, end: int, *, closed: bool = True) -> Value:
    """The value at ``start``, blanks before it skipped; nothing at or behind ``end`` is looked at.

    ``closed`` says that the region really ends at ``end``: brackets left open there are closed, with a
    tolerance. Otherwise the text was cut and an open value comes back as not complete.
    """
    start = skip_blanks(text, start, end)
    if start >= end:
        return Value(None, start, error=("empty", "nothing"))
    strict = _read_strict(text, start, end)
    if strict is None and text[start] == "{":
        strict = read_near_json(text, start, end, closed)
    return strict if strict is not None else Scanner(text, end, closed).read(start)


def read_members(text: str, start: int, end: int, *, closed: bool = True) -> Value:
    """The object whose members begin at ``start``: its opening brace is missing."""
    scanner = Scanner(text, end, closed)
    scanner.note("missing-opener", start, start)
    scanner.stack.append(Container("}", start))
    return scanner.run(start)


_ESCAPED = re.compile(r"[{\[]\s*\\[\"']")


def read_unescaped(text: str, start: int, end: int) -> Value | None:
    """The object in ``text[start:end]`` whose quotes are all escaped, as if it stood in a string; None if it is none."""
    if _ESCAPED.match(text, start, end) is None:
        return None
    plain = text[start:end].replace('\\"', '"').replace("\\'", "'").replace("\\\\", "\\")
    read = read_value(plain, 0, len(plain))
    if read.error is not None or not read.complete or not isinstance(read.value, (dict, list)):
        return None
    return Value(read.value, end, tolerances=(Tolerance("escaped-quotes", Span(start, end)),))


_BETWEEN = re.compile(r"[\s,;}\]]*")


def read_values(text: str, start: int, end: int, *, closed: bool = True) -> Iterator[tuple[int, Value]]:
    """Objects and lists, one behind the other, each with where it begins; what cannot be read ends them."""
    position = start
    while position < end and text[position] in "{[｛［":
        read = read_value(text, position, end, closed=closed)
        yield position, read
        if read.error is not None or not read.complete:
            return
        position = behind(_BETWEEN, text, read.end, end)


def read_call_arguments(text: str, start: int, end: int, *, closed: bool = True, parentheses: bool = True) -> Value:
    """Arguments in call syntax, ``start`` just behind the opening parenthesis; the value is ``CallArguments``.

    With ``parentheses=False`` the arguments stand free (``a=1, b="x"`` or a line each) and end at ``end``.
    """
    if parentheses and (plain := _plain_keywords(text, start, end)) is not None:
        return plain
    scanner = Scanner(text, end, closed)
    scanner.strict = _read_strict
    scanner.stack.append(Container(")", start, call=True, free=not parentheses))
    return scanner.run(start)


_PLAIN_KEYWORD = re.compile(
    r"""\s*+(?P<key>[A-Za-z_]\w{0,60})=(?:
    "(?!\s*[{\[])(?P<double>[^"”\\\x00-\x1f]*+)" | '(?!\s*[{\[])(?P<single>[^'’\\\x00-\x1f]*+)'
    | (?P<number>-?(?:0|[1-9][0-9]{0,17})) | (?P<word>True|False|None)
    )(?:,|(?P<last>\))(?=[\s\])]{0,20}+(?:\Z|[<`]|(?<=\))\s{0,4}[,\n]\s{0,4}[A-Za-z_]\w{0,60}\()))""",
    re.VERBOSE,
)
_PYTHON_WORDS = {"True": True, "False": False, "None": None}


def _plain_keywords(text: str, start: int, end: int) -> Value | None:
    """Named arguments that leave no doubt: plain strings, whole numbers, Python's words, and what may follow a call."""
    keywords: dict[str, Any] = {}
    tolerances: dict[str, Tolerance] = {}
    while (found := _PLAIN_KEYWORD.match(text, start, end)) is not None:
        key, double, single, number, word, last = found.groups()
        if key in keywords:
            return None
        if double is not None:
            keywords[key] = double
        elif number is not None:
            keywords[key] = int(number)
        else:
            name, at = (
                ("quotes", found.start("single") - 1) if word is None else ("python-literal", found.start("word"))
            )
            keywords[key] = _PYTHON_WORDS[word] if word is not None else single
            tolerances.setdefault(name, Tolerance(name, Span(at, at + len(word or "'"))))
        start = found.end()
        if last:
            return Value(CallArguments([], keywords), start, tolerances=tuple(tolerances.values()))
    return None


def skip_blanks(text: str, start: int, end: int) -> int:
    """The first offset from ``start`` that is not blank (blanks may be written as ``\\n``)."""
    if text[start : start + 1] in NO_SPACE:
        return start
    match = SPACE.match(text, start, end)
    return match.end() if match else start


def read_strict(text: str, start: int, end: int) -> Value | None:
    """The value at ``start`` if it is valid JSON as it stands, else None."""
    start = skip_blanks(text, start, end)
    return _read_strict(text, start, end) if start < end else None


_NO_OBJECT = re.compile(r"\{\s*+[^\s\"}]")


def _read_strict(text: str, start: int, end: int) -> Value | None:
    if text[start] not in '{["-0123456789tfn' or text.startswith('"""', start, end) or _NO_OBJECT.match(text, start):
        return None
    try:
        value, stop = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    if stop > end or (text[start] not in '{["' and not _ends_scalar(text, stop, end)):
        return None
    written = text[start:stop]
    if "\\" in written and has_path_with_single_backslashes(written):
        return None
    if len(written) > MAX_DEPTH and written.count("{") + written.count("[") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        return None  # the scanner says that it is too deep
    return Value(value, stop)


def _ends_scalar(text: str, stop: int, end: int) -> bool:
    return stop >= end or text[stop].isspace() or text[stop] in ",]})<`"


def _depth(value: Any) -> int:
    """How deep containers nest, found level by level."""
    depth, level = 0, [value]
    while level and depth <= MAX_DEPTH:
        depth += 1
        level = [
            inner
            for item in level
            for inner in (item.values() if isinstance(item, dict) else item if isinstance(item, list) else ())
            if isinstance(inner, (dict, list))
        ]
    return depth
