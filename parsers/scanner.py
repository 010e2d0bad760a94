"""One tolerant pass over one value, with a stack of its own: no recursion, bounded depth, linear."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from react_engine.parsers.lookahead import Container, Lookahead
from react_engine.parsers.strings import GUESSED, QUOTES, read_string
from react_engine.parsers.tokens import (
    CLOSERS,
    COLON,
    COMMA,
    COMMENT,
    EDGES,
    EXPRESSION,
    FENCE,
    FULL_WIDTH,
    KEY_AHEAD,
    KEY_WORD,
    KEYWORD,
    MAX_DEPTH,
    NEXT_CALL,
    NO_SPACE,
    NOT_NUMBERS,
    NUMBER,
    OPENERS,
    OPERATOR,
    SPACE,
    WORDS,
)
from react_engine.types import Span, Tolerance

_BULLET = re.compile(r"[-*•]\s+(?=[^\W\d][\w.-]{0,60}\s*[:：=])")
_RAW_STRING = re.compile(r"[rR](['\"])((?:(?!\1)[^\\\n]|\\.)*+)\1(?=\s*+[,)\]}])")
_PACKED = re.compile(r"\"\s*[{\[]\s*[{\"]")
_KEY_LEFT_OPEN = re.compile(r"[\"'“](?P<key>[^\W\d][\w-]{0,60})(?=\s{0,4}[:：]\s{0,4}[\"'“](?!\s{0,4}[:：]))")
_PLAIN_STRING = re.compile(r'"(?:[^"\\\n]|\\.){0,2000}+"|\'(?:[^\'\\\n]|\\.){0,2000}+\'')
_JOINED = re.compile(rf"(?:(?:{_PLAIN_STRING.pattern})\s{{0,80}}\+\s{{0,80}}){{1,100}}+(?:{_PLAIN_STRING.pattern})")
_MAPPING = re.compile(r"dict\((?=\s{0,8}(?:[^\W\d]\w{0,60}\s{0,4}=|\)))")
_HOLDER = re.compile(
    r"(?:(?:action|tool|function|next_tool)_?)?(?:arguments|args|parameters|params|input)", re.IGNORECASE
)


class Bare(str):
    """An unquoted scalar that JSON does not know; its meaning depends on the schema."""

    __slots__ = ()


class Value(NamedTuple):
    """A value that was read, with the offset behind it.

    ``complete`` says that every bracket and quote was closed by the text itself. ``error`` is set when
    nothing usable was read, with a code such as ``"too-deep"`` and what was found. ``depth`` counts the
    containers that were still open where the text ended.
    """

    value: Any
    end: int
    complete: bool = True
    tolerances: tuple[Tolerance, ...] = ()
    error: tuple[str, str] | None = None
    depth: int = 0

    @property
    def problem_code(self) -> str:
        """The code of the problem that its error makes."""
        code = self.error[0] if self.error is not None else ""
        return code if code in ("not-a-number", "too-deep", "expression") else "malformed-arguments"

    @property
    def guessed(self) -> bool:
        """Whether where it ends is a guess: at a cut that is not enough."""
        return any(tolerance.lossy for tolerance in self.tolerances)


class Scanner:
    """Reads one value and what it takes to read it. ``stack`` holds the open containers."""

    def __init__(self, text: str, end: int, closed: bool) -> None:
        self.text, self.end, self.closed = text, end, closed
        self.stack: list[Container] = []
        self.ahead = Lookahead(text, end, self.stack)
        self.tolerances: dict[str, Tolerance] = {}
        self.complete = True
        self.depth = 0
        self.may_pack = True
        self.strict: Callable[[str, int, int], Value | None] | None = None
        self.error: tuple[str, str] | None = None
        self.last_comment_end: int | None = None
        self.closes_value = self.ahead.closes_value

    def read(self, start: int) -> Value:
        """The value at ``start``."""
        position, value = self._open_or_scalar(start)
        return self.run(position, value)

    def run(self, position: int, value: Any = None) -> Value:
        """Go on until the outermost container is closed."""
        while self.stack and self.error is None:
            position, value = self._advance(position, value)
        return Value(value, position, self.complete, tuple(self.tolerances.values()), self.error, self.depth)

    def note(self, name: str, start: int, end: int, *, lossy: bool = False) -> None:
        """Remember a tolerance; the first place of each kind is kept."""
        if name not in self.tolerances:
            self.tolerances[name] = Tolerance(name, Span(start, min(end, self.end)), lossy)

    def _advance(self, position: int, last: Any) -> tuple[int, Any]:
        """One step inside the innermost container: a separator, a closer, or the next entry."""
        position = self._skip(position)
        container = self.stack[-1]
        if container.free and (bullet := _BULLET.match(self.text, position, self.end)):
            position = bullet.end()
        if position >= self.end:
            return self._close_at_end(position)
        char = self.text[position]
        if char in FULL_WIDTH:
            self.note("full-width", position, position + 1)
        if char in CLOSERS:
            return self._close(position, CLOSERS[char])
        if char in COMMA:
            self._separator(position, container)
            return position + 1, last
        if container.kind == "}" and container.wants_separator is not None and self._next_object(position):
            return self._close_early(position)
        if container.kind == "]" and char in QUOTES and self._key_of_outer(position, container):
            return self._close_early(position)
        if container.wants_separator:
            if not container.free and OPERATOR.match(self.text, position, self.end):
                return self._expression(position)
            self.note("missing-comma", position, position)
        if container.kind == "}" or (container.call and self._is_named(position, container)):
            return self._entry(position, container)
        return self._item(position, container)

    def _next_object(self, position: int) -> bool:
        """Whether another call, or another item of a list, stands where a key belongs: this one was never closed."""
        if self.text[position] not in "{｛":
            return False
        if all(outer.kind != "]" for outer in self.stack):
            return NEXT_CALL.match(self.text, position, self.end) is not None
        after = self.ahead.skip(position + 1)
        return KEY_AHEAD.match(self.text, after, self.end) is not None

    def _key_of_outer(self, position: int, container: Container) -> bool:
        """Whether a key with its colon stands where an item of a list belongs: the list was never closed."""
        in_object = len(self.stack) > 1 and self.stack[-2].kind == "}"
        return in_object and bool(container.items) and KEY_AHEAD.match(self.text, position, self.end) is not None

    def _close_early(self, position: int) -> tuple[int, Any]:
        self.note("missing-closer", position, position)
        return position, self._pop()

    def _is_named(self, position: int, container: Container) -> bool:
        """Whether an argument with a name begins; free arguments may be quoted like the members of an object."""
        if KEYWORD.match(self.text, position, self.end):
            return True
        return (
            container.call
            and self.text[position] in QUOTES
            and KEY_AHEAD.match(self.text, position, self.end) is not None
        )

    def _separator(self, position: int, container: Container) -> None:
        after = self._skip(position + 1)
        last = after < self.end and self.text[after] in CLOSERS
        if (container.wants_separator is False or last) and container.kind != ")":  # (1,) is how Python writes it
            self.note("trailing-comma", position, position + 1)
        container.wants_separator = False

    def _item(self, position: int, container: Container) -> tuple[int, Any]:
        after, value = self._open_or_scalar(position)
        if self.stack[-1] is container and self.error is None:
            container.add(value)
        return after, value

    def _entry(self, position: int, container: Container) -> tuple[int, Any]:
        key, position = self._key(position, container)
        position = self._skip(position)
        if position < self.end and self.text[position] in COLON:
            if self.text[position] != ":" and not container.call:
                self.note("full-width" if self.text[position] == "：" else "equals-sign", position, position + 1)
            position += 2 if self.text.startswith("=>", position) else 1
        elif position < self.end:
            self.error = self.error or ("expected-colon", f"{key!r} without a colon")
            return position, None
        position = self._skip(position)
        container.key = key
        if position >= self.end:
            self.complete, container.wants_separator = False, True
            return position, None
        if _HOLDER.fullmatch(key) and self.text[position] in QUOTES and self._is_member(position):
            self.note("missing-opener", position, position)
            return self._open(Container("}", position), position)
        return self._item(position, container)

    def _is_member(self, position: int) -> bool:
        return KEY_AHEAD.match(self.text, position, self.end) is not None

    def _key(self, position: int, container: Container) -> tuple[str, int]:
        if position >= self.end:
            self.error = ("expected-key", "the end where a key belongs")
            return "", position
        if (left_open := _KEY_LEFT_OPEN.match(self.text, position, self.end)) is not None:
            self.note("missing-quote", position, left_open.end(), lossy=True)
            key, after = left_open["key"], left_open.end()
        elif self.text[position] in QUOTES:
            string = read_string(self.text, position, self.end, self.ahead.closes_key)
            self._take(string.unusual)
            self.complete = self.complete and string.closed
            key, after = string.value, string.end
        elif match := KEY_WORD.match(self.text, position, self.end):
            if not container.call:
                self.note("unquoted-key", position, match.end())
            key, after = match[0], match.end()
        elif self.text[position] in "{｛" and not container.doubled:
            self.note("doubled-braces", position, position + 1)
            container.doubled = True
            return self._key(self._skip(position + 1), container)
        else:
            self.error = ("expected-key", f"{self.text[position : position + 20]!r} where a key belongs")
            return "", position
        if "\\_" in key:
            self.note("markdown-escape", position, after)
            key = key.replace("\\_", "_")
        return key, after

    def _open_or_scalar(self, position: int) -> tuple[int, Any]:
        char = self.text[position]
        if char in OPENERS:
            if self.strict is not None and len(self.stack) == 1 and char in "{[":
                read = self.strict(self.text, position, self.end)
                if read is not None:
                    return read.end, read.value
                self.strict = None  # a value that is no JSON may have been read to the end of the text: once is enough
            if char in "(（":
                self.note("python-literal", position, position + 1)
            if char in FULL_WIDTH:
                self.note("full-width", position, position + 1)
            return self._open(Container(OPENERS[char], position), position + 1)
        if char == "d" and (mapping := _MAPPING.match(self.text, position, self.end)) is not None:
            self.note("python-literal", position, mapping.end())
            return self._open(Container(")", position, call=True, mapping=True), mapping.end())
        if char in "rR" and (raw := _RAW_STRING.match(self.text, position, self.end)) is not None:
            self.note("python-literal", position, raw.end())
            return raw.end(), raw[2]
        return self._string(position) if char in QUOTES else self._bare(position)

    def _open(self, container: Container, inside: int) -> tuple[int, Any]:
        """Begin a container whose first entry may stand at ``inside``."""
        if len(self.stack) >= MAX_DEPTH:
            self.error = ("too-deep", f"more than {MAX_DEPTH} levels of brackets")
            return container.start, None
        self.stack.append(container)
        return inside, None

    def _string(self, position: int) -> tuple[int, Any]:
        if self.may_pack and _PACKED.match(self.text, position, self.end):
            if (packed := self._packed(position)) is not None:
                return packed
        if (joined := _JOINED.match(self.text, position, self.end)) is not None and self.stack:
            if self.ahead.closes_value(joined.end() - 1):
                self.note("joined-strings", position, joined.end())
                pieces = [read_string(self.text, piece.start(), piece.end(), self.ahead.first_quote) for piece in
                          _PLAIN_STRING.finditer(self.text, position, joined.end())]  # fmt: skip
                return joined.end(), "".join(piece.value for piece in pieces)
        self.ahead.opened = self.text[position]
        string = read_string(self.text, position, self.end, self.closes_value, whole=self.closed)
        if not string.closed and self.closes_value != self.ahead.first_quote:
            retry = read_string(self.text, position, self.end, self.ahead.first_quote)
            if retry.closed:  # guessing at inner quotes has failed: from here on the first quote closes
                self.closes_value, string = self.ahead.first_quote, retry
        self._take(string.unusual)
        if not string.closed:
            self.complete = False
            self.note("unclosed-string", position, string.end, lossy=True)
        return string.end, string.value

    def _packed(self, position: int) -> tuple[int, str] | None:
        """Text that is an object with its quotes unescaped: it ends at the quote behind the object."""
        inner = Scanner(self.text, self.end, closed=False)
        inner.may_pack = False
        read = inner.read(position + 1)
        after = self.ahead.skip(read.end)
        if read.error is None and read.complete and after < self.end and self.text[after] == self.text[position]:
            if self.ahead.closes_value(after):
                self.note("inner-quotes", position, after + 1, lossy=True)
                return after + 1, self.text[position + 1 : after]
        self.may_pack = False  # looked for once: failing again and again would cost the whole text each time
        return None

    def _take(self, unusual: Mapping[str, Span]) -> None:
        for name, span in unusual.items():
            if name not in self.tolerances:
                self.tolerances[name] = Tolerance(name, span, name in GUESSED)

    def _bare(self, position: int) -> tuple[int, Any]:
        end = self.ahead.bare_end(position)
        word = self.text[position:end].rstrip(EDGES)
        if not word:
            self.error = ("expected-value", f"{self.text[position : position + 20]!r} where a value belongs")
            return position, None
        if end >= self.end:
            self.complete = self.complete and self.closed
        after, lower = position + len(word), word.lower()
        if lower in WORDS:
            if word not in ("true", "false", "null"):
                self.note("python-literal", position, after)
            return after, WORDS[lower]
        if lower in NOT_NUMBERS:
            self.error = ("not-a-number", f"{word}, which is no JSON number")
            return position, None
        if match := NUMBER.fullmatch(word):
            return after, number(word, is_float=bool(match[1] or match[2]))
        if EXPRESSION.match(word):
            return self._expression(position)
        self.note("unquoted-value", position, after)
        return after, Bare(word)

    def _expression(self, position: int) -> tuple[int, Any]:
        self.error = ("expression", f"{self.text[position : position + 40]!r}, which would have to be worked out")
        return position, None

    def _skip(self, position: int) -> int:
        """Past blanks and comments, with a note of what was unusual."""
        while self.text[position : position + 1] not in NO_SPACE:
            start = position
            if match := SPACE.match(self.text, position, self.end):
                if "\\" in match[0]:
                    self.note("escaped-blank", position, match.end())
                position = match.end()
            if match := self._comment(position):
                self.note("comment", position, match.end())
                position = match.end()
            if match := FENCE.match(self.text, position, self.end):
                self.note("code-fence", position, match.end())
                position = match.end()
            if position == start:
                break
        return position

    def _comment(self, position: int) -> re.Match[str] | None:
        if position >= self.end or self.text[position] not in "/#":
            return None
        if self.text.startswith("/*", position):
            if self.last_comment_end is None:  # looked up once: unclosed openers must not each scan to the end
                self.last_comment_end = self.text.rfind("*/", position, self.end)
            if position > self.last_comment_end:
                return None
        return COMMENT.match(self.text, position, self.end)

    def _close(self, position: int, kind: str) -> tuple[int, Any]:
        container = self.stack[-1]
        if container.free:
            return position + 1, None
        if container.kind == kind:
            twice = container.doubled and self.text[position + 1 : position + 2] == self.text[position]
            return position + (2 if twice else 1), self._pop()
        if any(outer.kind == kind for outer in self.stack):
            self.note("missing-closer", position, position)
            return position, self._pop()  # close the inner one; the closer is looked at again
        self.note("surplus-closer", position, position + 1)
        return position + 1, None

    def _pop(self) -> Any:
        container = self.stack.pop()
        if container.duplicate:
            self.note("duplicate-key", container.start, container.start + 1, lossy=True)
        value = container.finish()
        if self.stack:
            self.stack[-1].add(value)
        return value

    def _close_at_end(self, position: int) -> tuple[int, Any]:
        self.complete = self.complete and self.closed
        self.depth = len(self.stack)
        if not self.stack[-1].free:
            self.note("missing-closer", position, position)
        value = None
        while self.stack:
            value = self._pop()
        return position, value


def number(word: str, *, is_float: bool) -> Any:
    """A JSON number at full precision; integers of any length stay exact."""
    if is_float:
        value = float(word)
        return value if value not in (float("inf"), float("-inf")) else Bare(word)
    try:
        return int(word)
    except ValueError:  # longer than Python's limit for conversions
        return Bare(word)
