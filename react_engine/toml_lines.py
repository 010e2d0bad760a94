"""The line of a key in a TOML text: the parser of the standard library does not tell."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

_HEADER = re.compile(r"\s*\[{1,2}[^\[\]].*\]{1,2}\s*(?:#.*)?")
_KEY = re.compile(r"""\s*((?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*'))*)\s*=""")


def line_of(text: str, place: tuple[str, ...]) -> int | None:
    """The 1-based line where a key is set, or where the nearest table around it begins; None if neither is seen.

    ``text`` must be valid TOML. Lines inside multi-line strings are not told apart: they can mislead, but only
    towards another line of the same file.
    """
    best: tuple[int, int | None] = (0, None)
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        found = table
        if _HEADER.fullmatch(line):
            found = table = _path(line) or table
        elif key := _KEY.match(line):
            found = table + (_path(key[1] + " = 0") or ())
        else:
            continue
        if found == place[: len(found)] and len(found) > best[0]:
            best = (len(found), number)
    return best[1]


def _path(line: str) -> tuple[str, ...]:
    try:
        inner: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return ()
    path: list[str] = []
    while isinstance(inner, Mapping | list) and inner:
        if isinstance(inner, list):
            inner = inner[0]
            continue
        key, inner = next(iter(inner.items()))
        path.append(key)
    return tuple(path)
