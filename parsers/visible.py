"""Text of models and tools as it can be shown: nothing in it can drive a terminal or hide."""

from __future__ import annotations

from unicodedata import category, east_asian_width

_UNKNOWN = "\ufffd"
# One sign for one sign, so that offsets stay: pictures for C0 and DEL, a placeholder for C1, lone surrogates and what
# turns the direction of a line; separators that some programs break lines at.
_SIGNS = (
    {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"}
    | {0x7F: "\u2421"}
    | dict.fromkeys(range(0x80, 0xA0), _UNKNOWN)
    | dict.fromkeys(range(0xD800, 0xE000), _UNKNOWN)
    | dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), _UNKNOWN)
    | dict.fromkeys((0x2028, 0x2029), "\u2424")
)


def visible(text: str) -> str:
    """``text`` with a visible sign for each control character but tab and newline, of the same length."""
    return text.translate(_SIGNS)


def printable(text: str) -> str:
    """``text`` for a terminal: as ``visible``, with the line ends of Windows as newlines."""
    return visible(text.replace("\r\n", "\n"))


def columns(char: str) -> int:
    """How many columns of a terminal a character takes: 2 for wide ones, 0 for those that join the one before."""
    if char.isascii():
        return 1
    if category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(char) in ("W", "F") else 1
