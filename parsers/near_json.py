"""Objects that differ from JSON in quotes, in Python's words or in a comma before the closer, read member by member.

They are the most common damage. One pattern reads a member that leaves no doubt; anything else is left to the
scanner, which gives the same value with the same tolerances.
"""

from __future__ import annotations

import re
from typing import Any

from react_engine.parsers.scanner import Value
from react_engine.types import Span, Tolerance

_MEMBER = re.compile(
    r"""[ \n]*+(?P<quote>["'])(?P<key>[A-Za-z_]\w{0,60}+)(?P=quote)[ ]?:[ \n]*+(?:
    "(?!\s*[{\[])(?P<double>[^"”\\\x00-\x1f]*+)" | '(?!\s*[{\[])(?P<single>[^'’\\\x00-\x1f]*+)'
    | (?P<number>-?(?:0|[1-9][0-9]{0,17}+))(?![\w.+-]) | (?P<word>true|false|null|True|False|None)\b | (?P<open>\{)
    )(?(open)|[ \n]*+(?:(?P<comma>,)|(?=\})))""",
    re.VERBOSE,
)
_CLOSE = re.compile(r"[ \n]*+(?P<closer>\})(?P<comma>[ \n]*+,)?")
_BLANK = re.compile(r"\s*+\Z")
_AFTER = re.compile(r"\s*+(?:[<`]|\Z)")
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_MOST_OPEN = 8


def read_near_json(text: str, start: int, end: int, closed: bool = True) -> Value | None:
    """The object that opens at ``start``, None if there is anything in it or behind it that could be read otherwise.

    Closers may be missing at ``end``, which is the end of the text itself if it is ``closed``, or where it was cut.
    """
    return _Object(text, end).read(start + 1, closed)


class _Object:
    """``members`` of the innermost open object, those of the ``outer`` ones with the key that it stands under."""

    __slots__ = ("end", "members", "outer", "seen", "text")

    def __init__(self, text: str, end: int) -> None:
        self.text, self.end = text, end
        self.members: dict[str, Any] = {}
        self.outer: list[tuple[dict[str, Any], str]] = []
        self.seen: dict[str, Tolerance] = {}

    def read(self, position: int, closed: bool) -> Value | None:
        comma = 0  # the offset behind the last comma; 0 at the beginning of an object, -1 where a comma must stand next
        while True:
            member = _MEMBER.match(self.text, position, self.end) if comma >= 0 else None
            if member is not None:
                position = member.end()
                if not self._take(member):
                    return None
                comma = position if member["comma"] else -1 if member["open"] is None else 0
                continue
            close = _CLOSE.match(self.text, position, self.end)
            if close is None:
                return self._left_open(position, closed) if comma == -1 else None
            if comma > 0:
                self._note("trailing-comma", comma - 1, comma)
            if not self.outer:
                return self._value(close.end("closer"))
            self._close()
            position = close.end()
            comma = position if close["comma"] else -1

    def _take(self, member: re.Match[str]) -> bool:
        """Take in a member, or open the object that is its value. False if the key was there before."""
        quote, key, double, single, number, word, opened, _comma = member.groups()
        if key in self.members or len(self.outer) > _MOST_OPEN:
            return False
        if quote == "'":
            self._note("quotes", member.start("quote"), member.start("quote") + 1)
        if opened:
            self.outer.append((self.members, key))
            self.members = {}
        elif double is not None:
            self.members[key] = double
        elif single is not None:
            self._note("quotes", member.start("single") - 1, member.start("single"))
            self.members[key] = single
        elif number is not None:
            self.members[key] = int(number)
        else:
            if word[0] in "TFN":
                self._note("python-literal", *member.span("word"))
            self.members[key] = _WORDS[word]
        return True

    def _close(self) -> None:
        inner = self.members
        self.members, key = self.outer.pop()
        self.members[key] = inner

    def _value(self, stop: int) -> Value | None:
        if _AFTER.match(self.text, stop, self.end) is None:
            return None
        return Value(self.members, stop, tolerances=tuple(self.seen.values()))

    def _left_open(self, position: int, closed: bool) -> Value | None:
        """The outermost object, if nothing but closers is missing."""
        if _BLANK.match(self.text, position, self.end) is None:
            return None
        self._note("missing-closer", self.end, self.end)
        depth = len(self.outer) + 1
        while self.outer:
            self._close()
        return Value(self.members, self.end, closed, tuple(self.seen.values()), depth=depth)

    def _note(self, name: str, start: int, end: int) -> None:
        """Remember the first place of a tolerance."""
        if name not in self.seen:
            self.seen[name] = Tolerance(name, Span(start, end))
