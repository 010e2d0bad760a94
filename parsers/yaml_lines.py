"""Arguments as YAML: keys at the start of lines, with lists, blocks of text or objects indented below them."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import Any

from react_engine.parsers.literals import Bare, read_value

_KEY = re.compile(r"(?P<key>[^\W\d][\w-]{0,60})[ \t]*:(?:[ \t]+(?P<value>\S.*)|[ \t]*)")
_ITEM = re.compile(r"-[ \t]+(?P<value>\S.*)")
_BLOCK = re.compile(r"(?P<kind>[|>])[+-]?")
_LONGEST = 100_000


def read_yaml(text: str, start: int, end: int) -> dict[str, Any] | None:
    """The mapping in ``text[start:end]``, None if it is none or needs no YAML: plain pairs are read elsewhere."""
    if end - start > _LONGEST or not re.search(r":[ \t]*[|>]?[+-]?[ \t]*\r?\n[ \t]*\S", text[start:end]):
        return None
    lines = dedent(_line_start(text, start) + text[start:end]).expandtabs(4).splitlines()
    entries: dict[str, Any] = {}
    position = 0
    while position < len(lines):
        if not lines[position].strip():
            position += 1
            continue
        head = _KEY.fullmatch(lines[position].rstrip())
        if head is None or head["key"] in entries:
            return None
        below, position = _below(lines, position + 1, head["value"] or "")
        if (value := _value(head["value"] or "", below)) is _NONE:
            return None
        entries[head["key"]] = value
    return entries


_NONE: Any = object()


def _line_start(text: str, start: int) -> str:
    """The blanks before ``start`` on its line."""
    line = text[max(0, start - 40) : start].rpartition("\n")[2]
    return line if not line.strip() else ""


def _below(lines: list[str], position: int, value: str) -> tuple[list[str], int]:
    """(the lines that belong to a key, where to go on)."""
    first = position
    while position < len(lines):
        line = lines[position]
        inside = not line.strip() or line[0] == " " or (not value and line.startswith("- "))
        if not inside:
            break
        position += 1
    while position > first and not lines[position - 1].strip():
        position -= 1
    return lines[first:position], position


def _value(written: str, below: list[str]) -> Any:
    if block := _BLOCK.fullmatch(written):
        body = dedent("\n".join(below))
        return body if block["kind"] == "|" else re.sub(r"(?<=\S)\n(?=\S)", " ", body)
    if written:
        return _scalar(written) if not below else _NONE
    inner = dedent("\n".join(below)).splitlines()
    items = [_ITEM.fullmatch(line.rstrip()) for line in inner if line.strip()]
    if items and all(items):
        return [_scalar(item["value"]) for item in items if item is not None]
    pairs = [_KEY.fullmatch(line.rstrip()) for line in inner if line.strip()]
    if pairs and all(pair is not None and pair["value"] for pair in pairs):
        return {pair["key"]: _scalar(pair["value"]) for pair in pairs if pair is not None}
    return None if not below else _NONE


def _scalar(written: str) -> Any:
    written = written.strip()
    read = read_value(written, 0, len(written))
    if read.error is None and read.complete and read.end == len(written):
        return read.value
    return Bare(written)
