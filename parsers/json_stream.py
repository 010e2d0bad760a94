"""A JSON object while it arrives: which value belongs to which of its own keys, piece by piece, each looked at once.

Only valid JSON is followed. Anything else sets ``broken``, and it is left to the tolerant scanner, which needs the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

_TOKEN = re.compile(
    r'(?P<blank>[ \t\r\n]+)|(?P<quote>")|(?P<open>[{\[])|(?P<close>[}\]])|(?P<mark>[:,])|(?P<word>[\w.+-]+)'
)
_IN_STRING = re.compile(r'[^"\\\x00-\x1f]+|(?P<end>")|(?P<escape>\\(?:.|\Z))|(?P<control>[\x00-\x1f])', re.DOTALL)
_DEEPEST = 200

Kind = Literal["name", "value"]


class JsonStream:
    """Follows one object. ``names`` are the keys whose text is a name, ``values`` those whose value is wanted as written.

    Without any key, the whole object is the value. ``rest`` is what stood behind the object in the last piece.
    """

    def __init__(self, names: frozenset[str], values: frozenset[str]) -> None:
        self._names, self._values = names, values
        self._stack: list[str] = []
        self._in_string = self._escaped = False
        self._string: list[str] | None = None  # the text of a string of the object itself, a key or a name
        self._key: str | None = None
        self._awaits_key = False
        self._inside = False  # inside the wanted value
        self.complete = self.broken = False
        self.rest = ""

    def feed(self, piece: str) -> Iterator[tuple[Kind, str]]:
        """What the piece made certain: names, whole, and pieces of the wanted value."""
        position, begun = 0, 0
        while position < len(piece) and not self.broken and not self.complete:
            if self._in_string:
                position, name = self._string_part(piece, position)
                if name is not None:
                    yield "name", name
                continue
            token = _TOKEN.match(piece, position)
            if token is None:
                self.broken = True
                break
            was_inside = self._inside
            self._token(token)
            if self._inside and not was_inside:
                begun = token.start()
            elif was_inside and not self._inside:
                end = token.end() if token["close"] and self.complete and not self._values else token.start()
                if piece[begun:end]:
                    yield "value", piece[begun:end]
            position = token.end()
        if self._inside and not self.broken and piece[begun:position]:
            yield "value", piece[begun:position]
        if self.complete:
            self.rest = piece[position:]

    def _string_part(self, piece: str, position: int) -> tuple[int, str | None]:
        """(the offset behind a part of a string, the name that it ended)."""
        if self._escaped:
            self._escaped = False
            self._keep(piece[position])
            return position + 1, None
        part = _IN_STRING.match(piece, position)
        if part is None or part["control"]:
            self.broken = True
            return position, None
        if part["end"]:
            self._in_string = False
            return part.end(), self._end_string()
        if part["escape"]:
            self._escaped = len(part[0]) == 1
        self._keep(part[0])
        return part.end(), None

    def _keep(self, text: str) -> None:
        if self._string is not None:
            self._string.append(text)

    def _end_string(self) -> str | None:
        if self._string is None:
            return None
        text, self._string = "".join(self._string), None
        if "\\" in text:  # keys and names have no escapes in what is followed
            self.broken = True
        elif self._awaits_key:
            self._key, self._awaits_key = text, False
        elif self._key in self._names:
            return text
        return None

    def _token(self, token: re.Match[str]) -> None:
        top = len(self._stack) == 1
        if token["quote"]:
            self._in_string = True
            if top and (self._awaits_key or self._key in self._names):
                self._string = []
            self._begin_value(top)
        elif token["open"]:
            self._begin_value(top)
            self._stack.append("}" if token[0] == "{" else "]")
            if len(self._stack) == 1:
                self._awaits_key, self._inside = True, not self._values
            self.broken = len(self._stack) > _DEEPEST or self._stack[0] != "}"
        elif token["close"]:
            if not self._stack or self._stack.pop() != token[0]:
                self.broken = True
            elif not self._stack:
                self.complete, self._inside = True, False
        elif token["mark"] == "," and top:
            self._awaits_key, self._key, self._inside = True, None, not self._values
        elif token["word"]:
            self._begin_value(top)
            self.broken = self.broken or not self._stack

    def _begin_value(self, top: bool) -> None:
        if top and not self._awaits_key and self._values and self._key in self._values:
            self._inside = True
