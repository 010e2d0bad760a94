"""TOML files, and the line of a key in one: the parser of the standard library does not tell."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from react_engine.errors import ConfigurationError

_HEADER = re.compile(r"\s*\[{1,2}[^\[\]].*\]{1,2}\s*(?:#.*)?")
_KEY = re.compile(r"""\s*((?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*'))*)\s*=""")


def read_toml(file: Path, what: str) -> tuple[str, dict[str, Any]]:
    """(the text of a TOML file, its table). Raises ``ConfigurationError``; ``what`` names the file in it."""
    try:
        text = file.read_text(encoding="utf-8-sig")
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{file} is no valid TOML: {error}.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{what} cannot be read: {error}.") from error


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
