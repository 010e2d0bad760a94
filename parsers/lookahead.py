"""What stands behind a place in a value decides what the place means: does this quote close, does this word end?

Every look is bounded or ends at the next character that matters, so that all of them together stay linear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from react_engine.parsers.tokens import (
    BARE_STOP,
    BLANK,
    CALL_AHEAD,
    CLOSERS,
    COLON,
    COMMA,
    KEY_AHEAD,
    KEYWORD,
    MAX_DEPTH,
    NAMED_AHEAD,
    NEXT_CALL,
    NO_SPACE,
    OPERATOR,
    PLAIN_SCALAR,
    QUOTED,
    SHORT_COMMENT,
    SPACE,
    VALUE_AHEAD,
    behind,
)

_LINE_SEEN = 200
_NEXT_OBJECT = re.compile(r"[\s,;]{0,20}[{｛]\s{0,20}[\"'“”„][^\"'“”\n]{1,80}[\"'“”]\s{0,4}[:：]")
_CLOSING = re.compile(rf"(?:{BLANK}|[}}\])｝］）]){{1,40}}")


@dataclass(frozen=True, slots=True)
class CallArguments:
    """What stands between the parentheses of a call: values without a name, and values with one."""

    positional: list[Any]
    keywords: dict[str, Any]


@dataclass(slots=True)
class Container:
    """A container that is being read. ``kind`` is its closer; ``free`` call arguments have none, those of a ``mapping`` make an object."""

    kind: str
    start: int
    call: bool = False
    mapping: bool = False
    free: bool = False
    key: str | None = None
    wants_separator: bool | None = None
    duplicate: bool = False
    doubled: bool = False
    items: list[Any] = field(default_factory=list)
    keywords: dict[str, Any] = field(default_factory=dict)

    def add(self, value: Any) -> None:
        """Take in a value: under the key read before it, if there was one."""
        if self.key is None:
            self.items.append(value)
        else:
            self.duplicate = self.duplicate or self.key in self.keywords
            self.keywords[self.key] = value
            self.key = None
        self.wants_separator = True

    def finish(self) -> Any:
        """The Python value of the container."""
        if self.mapping:
            return self.keywords
        if self.call:
            return CallArguments(self.items, self.keywords)
        return self.keywords if self.kind == "}" else self.items


class Lookahead:
    """Looks ahead in a text, knowing which containers are open (``stack``, shared with the scanner)."""

    def __init__(self, text: str, end: int, stack: list[Container]) -> None:
        self.text, self.end, self.stack = text, end, stack
        self.opened = ""  # the quote that the string being read began with

    def skip(self, position: int) -> int:
        """Past blanks and comments."""
        if self.text[position : position + 1] in NO_SPACE:
            return position
        while match := SPACE.match(self.text, position, self.end) or SHORT_COMMENT.match(self.text, position, self.end):
            position = match.end()
        return position

    def first_quote(self, position: int) -> bool:
        """Every quote closes: the rule when guessing has failed."""
        return True

    def closes_key(self, position: int) -> bool:
        """Whether the quote at ``position`` ends a key."""
        after = self.skip(position + 1)
        return after >= self.end or self.text[after] in COLON or self.text[after] in "}]"

    def closes_value(self, position: int) -> bool:
        """Whether the quote at ``position`` ends a value."""
        after = self.skip(position + 1)
        if after >= self.end or not self.stack:
            return True
        char = self.text[after]
        if char in CLOSERS:
            return self._closers_fit(after)
        container = self.stack[-1]
        if char in COMMA:
            after = self.skip(after + 1)
            if after >= self.end:
                return True
            return self._closers_fit(after) if self.text[after] in CLOSERS else self._entry_begins(container, after)
        if container.free:
            return KEYWORD.match(self.text, after, self.end) is not None
        if container.call and OPERATOR.match(self.text, after, self.end):
            return True
        gap = self.text[position + 1 : after]
        apart = "\n" in gap or (bool(gap) and char in QUOTED)
        return apart and container.kind == "}" and KEY_AHEAD.match(self.text, after, self.end) is not None

    def bare_end(self, position: int) -> int:
        """Where an unquoted scalar ends: at a closer of an open container, or a comma before a new entry."""
        if not self.stack:
            return self.end
        keyed = self.stack[-1].kind == "}" or self.stack[-1].free
        ahead = NAMED_AHEAD if self.stack[-1].call else KEY_AHEAD
        open_kinds = {container.kind for container in self.stack}
        for match in BARE_STOP.finditer(self.text, position, self.end):
            char = match[0]
            if char in CLOSERS:
                if CLOSERS[char] in open_kinds or PLAIN_SCALAR.fullmatch(self.text, position, match.start()):
                    return match.start()
            elif char[0] in "/#" or (char in COMMA and not keyed) or self._goes_on(match.end(), ahead):
                return match.start()
        return self.end

    def _goes_on(self, position: int, ahead: re.Pattern[str]) -> bool:
        """Whether nothing, a closer or what ``ahead`` says follows."""
        position = self.skip(position)
        if position >= self.end or self.text[position] in CLOSERS:
            return True
        return ahead.match(self.text, position, self.end) is not None

    def _entry_begins(self, container: Container, position: int) -> bool:
        if container.kind == "}":
            return KEY_AHEAD.match(self.text, position, self.end) is not None
        if container.call and KEYWORD.match(self.text, position, self.end):
            return True
        if container.keywords:
            return False
        same = self.text[position] == self.opened  # ”a”, ”b”
        return same or VALUE_AHEAD.match(self.text, position, self.end) is not None

    def _stops_behind_closers(self, position: int) -> bool:
        """Whether behind closers too many nothing follows, or another object, or markup."""
        after = behind(_CLOSING, self.text, position, self.end)
        if after >= self.end or _NEXT_OBJECT.match(self.text, after, self.end) is not None:
            return True
        if self.stack[0].call and self.text[after] in ",;" and CALL_AHEAD.match(self.text, after + 1, self.end):
            return True
        return self.text[after] in "<`✿" or "\n" in self.text[position:after]

    def _closers_fit(self, position: int) -> bool:
        """Whether the closers from ``position`` on fit the open containers and the text goes on behind them."""
        depth = len(self.stack)
        closed = position
        for _ in range(MAX_DEPTH + 8):
            position = self.skip(position)
            if position >= self.end:
                return True
            char = self.text[position]
            if char not in CLOSERS:
                break
            if depth and self.stack[depth - 1].kind == CLOSERS[char]:
                depth -= 1
            elif not any(container.kind == CLOSERS[char] for container in self.stack[:depth]):
                return depth < len(self.stack) and self._stops_behind_closers(position)
            position += 1
            closed = position
        if depth:
            if self.text[position] in COMMA or KEY_AHEAD.match(self.text, position, self.end) is not None:
                return True
            return depth < len(self.stack) and NEXT_CALL.match(self.text, position, self.end) is not None
        if self.text[position] in ",;":
            further = CALL_AHEAD if self.stack[0].call else NEXT_CALL
            return further.match(self.text, position + 1, self.end) is not None
        if "\n" in self.text[closed:position] and CALL_AHEAD.match(self.text, position, self.end):
            return True
        limit = min(self.end, position + _LINE_SEEN)
        line_end = self.text.find("\n", position, limit)
        rest = self.text[position : line_end if line_end != -1 else limit]
        return '"' not in rest or rest[:1] in "{[<`"
