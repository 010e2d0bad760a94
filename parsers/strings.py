"""Quoted strings as models write them: unescaped inner quotes, raw line breaks, wrong escapes.

One function, ``read_string``, linear in the text it consumes. Where a quote may either end the string or
belong to it, what follows decides (a colon, a comma with a key behind it, a closing bracket); each look
ahead is bounded, so no input makes it slow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from react_engine.types import Span

# What may close a string opened by each quote; typographic ones are accepted for plain ones and back.
CLOSERS = {
    '"': '"”',
    "'": "'’",
    "`": "`",
    "“": '”"“',
    "”": '”"',
    "„": '“”"',
    "‘": "’'",
    "«": "»",
    "「": "」",
    "＂": '＂"',
}
TOKEN_QUOTE = "\ufdd0"  # noqa: S105  no password
"""Stands for a token that a dialect writes in place of quotes. A noncharacter, so no text has it."""
CLOSERS[TOKEN_QUOTE] = TOKEN_QUOTE
QUOTES = frozenset(CLOSERS)

_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PLAIN = {
    quote: re.compile(f"[^{re.escape(closers)}\\\\\n\r\t\x00-\x1f]+", re.DOTALL) for quote, closers in CLOSERS.items()
}
_LOOSE = {quote: re.compile(f"[^{re.escape(closers)}\\\\]+", re.DOTALL) for quote, closers in CLOSERS.items()}
_UNICODE = re.compile(r"\\u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?")
_BYTE = re.compile(r"\\x([0-9a-fA-F]{2})")
_DRIVE_PATH = re.compile(r"[A-Za-z]:\\(?![\\\"'])")
# Inside other text only what is no escape, or one that no text needs, shows that a path begins: "B:\n" may end a line.
_PATH_INSIDE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]:\\(?![\\\"'/nrtu])")
_SHARE_PATH = re.compile(r"\\\\[A-Za-z0-9._$-]+\\[A-Za-z0-9]")

GUESSED = frozenset({"inner-quotes", "backslash-before-quote", "missing-quote"})
"""What is lossy: where a string ends was a choice."""
CloseTest = Callable[[int], bool]
"""Says whether the quote at an offset ends the string that is being read."""


class QuotedString(NamedTuple):
    """A string that was read: its value, the offset behind it, whether its closing quote was there.

    ``unusual`` names what was tolerated, with its first place; ``GUESSED`` says what of it is lossy.
    """

    value: str
    end: int
    closed: bool
    unusual: Mapping[str, Span]


def read_string(text: str, start: int, end: int, closes: CloseTest, *, whole: bool = False) -> QuotedString:
    """The string whose opening quote stands at ``start``; nothing at or behind ``end`` is looked at.

    ``whole``: the text was not cut at ``end``.
    """
    opener = text[start]
    if text.startswith(opener * 3, start, end) and opener in "\"'":
        return _read_triple(text, start, end, opener * 3)
    if opener == TOKEN_QUOTE:
        return _read_between_tokens(text, start, end, closes)
    closers, plain = CLOSERS[opener], _PLAIN[opener]
    literal = _literal_backslashes(text, start + 1, end)
    names: dict[str, Span] = {}
    pieces: list[str] = []
    position = start + 1
    escaped: tuple[int, int] | None = None  # the last escaped quote
    alone = False
    if opener != '"':
        names["quotes"] = Span(start, start + 1)
    while position < end:
        if match := plain.match(text, position, end):
            pieces.append(match[0])
            position = match.end()
            if literal == "inside" and not match[0].isalnum() and _BLANK.search(match[0]):
                literal = ""
            continue
        char = text[position]
        if char == "\\":
            if not literal and position - start > 2 and _PATH_INSIDE.match(text, position - 2, end):
                literal = "inside"
            piece, after, name = _escape(text, position, end, literal)
            if piece in closers:
                escaped, alone = (position, len(pieces)), escaped is None
            pieces.append(piece)
            if name:
                names.setdefault(name, Span(position, after))
            position = after
        elif char in closers:
            if closes(position):
                if char != opener:
                    names.setdefault("quotes", Span(position, position + 1))
                return QuotedString("".join(pieces), position + 1, True, names)
            if char == opener and "inner-quotes" not in names:
                if escaped is not None and closes(escaped[0] + 1):
                    return _ended_by_escaped(escaped[0], pieces[: escaped[1]], names)
                names["inner-quotes"] = Span(position, position + 1)
            pieces.append(char)
            position += 1
        else:
            names["raw-control-character"] = Span(position, position + 1)
            plain = _LOOSE[opener]  # noted once; from here on they are like any other character
    if whole and alone and escaped is not None and closes(escaped[0] + 1):
        return _ended_by_escaped(escaped[0], pieces[: escaped[1]], names)
    return QuotedString("".join(pieces), end, False, names)


def _ended_by_escaped(backslash: int, pieces: list[str], names: dict[str, Span]) -> QuotedString:
    """A string that ends with a backslash which nobody escaped, so that its closing quote looks escaped."""
    names["backslash-before-quote"] = Span(backslash, backslash + 1)
    return QuotedString("".join(pieces) + "\\", backslash + 2, True, names)


def has_path_with_single_backslashes(text: str) -> bool:
    """Whether a quoted drive path in ``text`` has backslashes that JSON would read as control characters."""
    return _QUOTED_PATH.search(text) is not None


# Begins with what every such path has and hardly any text, so that a search is quick.
_QUOTED_PATH = re.compile(r':\\(?:(?<="[A-Za-z]:\\)[bfnrtu]|(?<=[A-Za-z]:\\)(?<![A-Za-z0-9][A-Za-z]:\\)[bf])[^"\\]')
_BLANK = re.compile(r"\s")


def _literal_backslashes(text: str, start: int, end: int) -> str:
    """Which backslashes of the string stand for themselves: none, those of a drive path, or all (a share)."""
    if "\\" not in text[start : start + 3]:
        return ""
    if _SHARE_PATH.match(text, start, end):
        return "share"
    return "drive" if _DRIVE_PATH.match(text, start, end) else ""


def _escape(text: str, position: int, end: int, literal: str) -> tuple[str, int, str | None]:
    """The meaning of the backslash at ``position``: (characters, offset behind, tolerance or None)."""
    if position + 1 >= end:
        return "\\", position + 1, "invalid-escape"
    char = text[position + 1]
    if literal == "share" or (literal and char != "\\" and char not in QUOTES):
        return "\\", position + 1, "windows-path"
    if char == "u" and (match := _UNICODE.match(text, position, end)):
        return _unicode(match)
    if char in _ESCAPES:
        return _ESCAPES[char], position + 2, None
    if char == "x" and (byte := _BYTE.match(text, position, end)):
        return chr(int(byte[1], 16)), byte.end(), "invalid-escape"
    if char in QUOTES or not char.isascii():
        # \' is over-escaping; a backslash before a raw non-ASCII letter is a failed \u escape.
        return char, position + 2, "invalid-escape"
    # \d, \(, \$ and a backslash before a line break were meant as they stand.
    return "\\", position + 1, "invalid-escape"


def _unicode(match: re.Match[str]) -> tuple[str, int, str | None]:
    code = int(match[1], 16)
    if 0xD800 <= code < 0xDC00 and match[2]:
        low = int(match[2], 16)
        return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)), match.end(), None
    return chr(code), match.start() + 6, None


def _read_triple(text: str, start: int, end: int, fence: str) -> QuotedString:
    close = text.find(fence, start + 3, end)
    closed = close != -1
    body = text[start + 3 : close if closed else end]
    after = close + 3 if closed else end
    return QuotedString(body, after, closed, {"triple-quotes": Span(start, after)})


_NEXT_MEMBER = re.compile(r",\s*[\w-]{1,80}\s*:|[}\]]")


def _read_between_tokens(text: str, start: int, end: int, closes: CloseTest) -> QuotedString:
    """A string between tokens: nothing in it is escaped. One whose second token is missing ends at the next member."""
    close = text.find(TOKEN_QUOTE, start + 1, end)
    if close != -1 and closes(close):
        return QuotedString(text[start + 1 : close], close + 1, True, {})
    member = _NEXT_MEMBER.search(text, start + 1, close if close != -1 else end)
    if member is None:
        return QuotedString(text[start + 1 : end], end, False, {})
    span = Span(member.start(), member.start())
    return QuotedString(text[start + 1 : span.start], span.start, True, {"missing-quote": span})
