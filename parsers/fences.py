"""Code fences of Markdown: where they stand and what they hold."""

from __future__ import annotations

import re
from typing import NamedTuple

_OPENER = re.compile(r"(`{3,}|~{3,})[ \t]*([\w+.#-]{0,30})[ \t]*\r?")
# A fence that opens stands on a line of its own or behind a label; one that closes may follow its content directly.
# Runs are taken whole, from their start: a long one that ends no line must not be tried again at each of its signs.
_FENCE = re.compile(r"(`(?<!``)`{2,}+|~(?<!~~)~{2,}+)[ \t]*+([\w+.#-]{0,30})[ \t]*+\r?$", re.MULTILINE)
_BEFORE_OPENER = re.compile(r"(?:[^\n`]{0,80}[:：][*_]{0,3})?[ \t>]{0,20}")
_DATA_WORDS = frozenset({"", "json", "json5", "jsonc", "python", "py", "text", "txt", "yaml", "tool", "tool_call"})

STEP_FENCES = frozenset(["", "text", "txt", "json", "react", "markdown", "md", "plaintext", "xml", "tool_call", "yaml"])
"""Languages of a fence that can hold a whole step: source code that quotes one cannot."""


class Fence(NamedTuple):
    """One fenced block: ``start`` and ``end`` bound the body, ``outer`` the whole with its fences."""

    start: int
    end: int
    outer_start: int
    outer_end: int
    language: str
    closed: bool


def fenced_body(text: str, start: int, end: int) -> Fence | None:
    """The block that fills ``text[start:end]`` from its first character to its last, if it is one."""
    opener = _OPENER.match(text, start, end)
    if opener is None:
        return None
    body_start = opener.end()
    if body_start < end and text[body_start] == "\n":
        body_start += 1
    elif opener[2]:  # ```{"a": 1}``` on one line has no language
        body_start = opener.start(2) if opener[2] not in _DATA_WORDS else body_start
    close = text.rfind(opener[1], body_start, end)
    if close == -1:
        return Fence(body_start, end, start, end, opener[2], closed=False)
    if text[close + len(opener[1]) : end].strip():
        return None
    body_end = _before_break(text, body_start, close)
    return Fence(body_start, body_end, start, end, opener[2], closed=True)


def leading_fence(text: str, start: int, end: int) -> Fence | None:
    """The closed block that ``text[start:end]`` begins with, whatever stands behind it."""
    opener = _OPENER.match(text, start, end)
    if opener is None or opener.end() >= end or text[opener.end()] != "\n":
        return None
    close = _CLOSING_LINE[opener[1][0]].search(text, opener.end(), end)
    if close is None:
        return None
    return Fence(
        opener.end() + 1,
        _before_break(text, opener.end() + 1, max(opener.end() + 1, close.start())),
        start,
        close.end(),
        opener[2],
        closed=True,
    )


_CLOSING_LINE = {char: re.compile(rf"(?<!{char}){char}{{3,}}+[ \t]*+\r?$", re.MULTILINE) for char in "`~"}


def find_fences(text: str, start: int, end: int) -> list[Fence]:
    """All blocks whose opening fence ends a line; one left open ends with the text. Linear."""
    fences: list[Fence] = []
    opener: re.Match[str] | None = None
    for fence in _FENCE.finditer(text, start, end):
        if opener is None:
            line = max(start, text.rfind("\n", start, fence.start()) + 1)
            if _BEFORE_OPENER.fullmatch(text, line, fence.start()):
                opener = fence
        elif fence[1][0] == opener[1][0] and len(fence[1]) >= len(opener[1]) and not fence[2]:
            fences.append(_between(text, opener, fence.start(), fence.end(), closed=True))
            opener = None
    if opener is not None:
        fences.append(_between(text, opener, end, end, closed=False))
    return fences


def _before_break(text: str, start: int, end: int) -> int:
    """``end`` without the line break before it."""
    if end > start and text[end - 1] == "\n":
        end -= 1
        if end > start and text[end - 1] == "\r":
            end -= 1
    return end


def _between(text: str, opener: re.Match[str], close_start: int, close_end: int, *, closed: bool) -> Fence:
    body_start = min(opener.end() + 1, close_start)
    return Fence(
        body_start, _before_break(text, body_start, close_start), opener.start(), close_end, opener[2].lower(), closed
    )
