"""The reader while a reply arrives: shows what is safe at once, and ends in the same reading as the whole text.

``Reader.feed`` takes any pieces of a reply; ``Reader.close`` gives the ``Reading`` that ``read`` gives for all
of it, whatever the pieces were. In between, thought and answer come out as soon as nothing behind them can
turn them into something else: never a byte of markup, never text that becomes a call. (A closing reasoning
marker that was never opened is the one exception: it makes thought of all before it, shown or not.) Each
character is looked at a bounded number of times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import regex

from react_engine.labels import Field
from react_engine.parsers.control import END_TOKENS
from react_engine.parsers.dialects import dialect_named, markers
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.labels import LABEL_PATTERN, field_of
from react_engine.parsers.names import head_of
from react_engine.parsers.reader import read
from react_engine.parsers.reasoning import MARKERS
from react_engine.types import Reading

Kind = Literal["thought", "text", "answer"]
_Mode = Literal["open", "think", "thought", "text", "answer", "held"]


@dataclass(frozen=True, slots=True)
class Shown:
    """Text that became safe to show: a piece of the thought, of the answer, or of text before a call."""

    kind: Kind
    text: str


# A line that may become a label, a fence or an object is held until it is known what it is.
_LABEL = regex.compile(LABEL_PATTERN, regex.VERBOSE | regex.IGNORECASE)
_OBJECT_LINE = regex.compile(r"[ \t]*(?:[{\[｛]|`{3}|~{3})")
# Inside a thought: what may turn the rest of it into a step, or into a quotation whose labels do not count.
_TURNS = regex.compile(
    r"`{3}|~{3}|\\n|\b(?:Action|Final[ ]Answer)[*_ ]{0,3}[:：]|need[ ]to[ ]use[ ]a[ ]tool\?", regex.IGNORECASE
)
_LONGEST_HELD_LINE = 200


@cache
def _marks(reasoning: tuple[tuple[str, str], ...]) -> _Marks:
    """Made once for each set of markers: compiling costs more than reading a reply."""
    return _Marks(reasoning)


class _Marks:
    """The literal markers that end shown text, and how long a piece of one may be."""

    def __init__(self, reasoning: Sequence[tuple[str, str]]) -> None:
        openers, _, results = markers()
        self.thinking = {opener.lower(): closer for opener, closer in reasoning}
        self.closers = {closer.lower() for _, closer in reasoning}
        words = {*openers, *results, *END_TOKENS, *self.thinking, *self.closers, "<function", "<invoke", "<|"}
        self.pattern = regex.compile(
            "|".join(sorted(map(regex.escape, words), key=len, reverse=True)), regex.IGNORECASE
        )


class Reader:
    """Reads one reply as it arrives. See ``read`` for the arguments."""

    def __init__(
        self,
        tools: Iterable[Any] | ToolIndex = (),
        dialect: str = "auto",
        *,
        reasoning: Sequence[tuple[str, str]] = MARKERS,
        calls_in_reasoning: bool = False,
    ) -> None:
        if dialect != "auto":
            dialect_named(dialect)
        self._index = tools if isinstance(tools, ToolIndex) else ToolIndex(tools)
        self._dialect, self._reasoning, self._in_reasoning = dialect, tuple(reasoning), calls_in_reasoning
        self._pieces: list[str] = []
        self._shower = _Shower(_marks(self._reasoning), labels=True, names_tool=self._names_tool)

    def _names_tool(self, line: str) -> bool:
        return any(self._index.resolve(word).kind == "known" for word in (line, head_of(line)) if word)

    @property
    def inventing(self) -> bool:
        """Whether the model has begun to write an observation behind its own call: the rest is worthless."""
        return self._shower.inventing

    def feed(self, chunk: str) -> list[Shown]:
        """What became safe to show with this piece."""
        self._pieces.append(chunk)
        return self._shower.feed(chunk)

    def close(self, finish_reason: str | None = None) -> Reading:
        """The reading of everything that was fed."""
        text = "".join(self._pieces)
        return read(
            text,
            self._index,
            self._dialect,
            finish_reason=finish_reason,
            reasoning=self._reasoning,
            calls_in_reasoning=self._in_reasoning,
        )


class TextStream:
    """Shows a native reply's text as it arrives: everything but reasoning markers and what may be a leaked call."""

    def __init__(self, reasoning: Sequence[tuple[str, str]] = MARKERS) -> None:
        self._shower = _Shower(_marks(tuple(reasoning)), labels=False)

    def feed(self, chunk: str) -> list[Shown]:
        """What became safe to show with this piece."""
        return self._shower.feed(chunk)


class _Shower:
    """Decides, line by line and marker by marker, what can be shown. ``mode`` is what the text is now."""

    def __init__(self, marks: _Marks, *, labels: bool, names_tool: Callable[[str], bool] = bool) -> None:
        self.marks, self.labels, self.names_tool = marks, labels, names_tool
        self.mode: _Mode = "open" if labels else "text"
        self.before_think: _Mode = self.mode
        self.inventing = False
        self.acted = False
        self.drafting = False  # a call was begun inside reasoning: a draft, or the call itself
        self.pending = ""  # received, not yet decided
        self.at_line_start = True
        self.prologue: list[str] = []  # unlabelled text whose meaning depends on the first label
        self.blank: dict[str, list[str]] = {}  # blanks at the end of what was shown: shown only if more follows
        self.begun: set[str] = set()

    def feed(self, chunk: str) -> list[Shown]:
        """What became safe to show with this piece."""
        if self.mode == "held" and not self.labels:
            return []
        self.pending += chunk
        shown: list[Shown] = []
        while self.pending and self._advance(shown):
            pass
        return _joined(shown)

    def _advance(self, shown: list[Shown]) -> bool:
        """Decide the front of the pending text. False when more is needed to decide it."""
        if self.at_line_start and self.mode != "think":
            decided = self._line_start(shown)
            if decided is not None:
                return decided
        newline = self.pending.find("\n")
        stop = newline + 1 if newline != -1 else len(self.pending)
        match = self.marks.pattern.search(self.pending, 0, stop, partial=newline == -1)
        if self.mode == "thought" and (fence := _TURNS.search(self.pending, 0, stop, partial=newline == -1)):
            if match is None or fence.start() <= match.start():
                match = fence
        if match is None:
            self._show(self.pending[:stop], shown)
            self.pending = self.pending[stop:]
            self.at_line_start = newline != -1
            return bool(self.pending)
        if match.start():
            self._show(self.pending[: match.start()], shown)
            self.pending = self.pending[match.start() :]
            self.at_line_start = False
            return True
        if match.partial:
            return False
        return self._mark(match[0])

    def _mark(self, word: str) -> bool:
        """A marker stands in front: thinking begins or ends, or a call begins."""
        lower = word.lower()
        self.pending = self.pending[len(word) :]
        self.at_line_start = False
        if self.mode == "think":
            if lower in self.marks.closers:
                self.mode, self.drafting = self.before_think, False
                self.at_line_start = True
            elif lower not in self.marks.thinking:
                self.drafting = True
            return True
        if lower in self.marks.thinking:
            self.before_think, self.mode = self.mode, "think"
        elif lower in self.marks.closers:
            # A closer without an opener: all before it was thought, none of it shown as an answer.
            self.prologue.clear()
            self.at_line_start = True
        else:
            self._hold()
        return True

    def _hold(self) -> None:
        """What follows may be a call: nothing of it is shown."""
        self.mode = "held"
        if not self.labels:
            self.pending = ""

    def _line_start(self, shown: list[Shown]) -> bool | None:
        """At the start of a line: a label, an object or a fence. None when it is ordinary text."""
        end = self.pending.find("\n")
        line = self.pending if end == -1 else self.pending[: end + 1]
        if self.labels:
            match = _LABEL.match(line, partial=end == -1)
            if match is not None and match.partial and len(line) < _LONGEST_HELD_LINE:
                return False
            if match is not None and not match.partial:
                if match.end() == len(line) and end == -1:
                    return False  # the decoration behind the label may go on
                return self._label(match, shown)
        if self.mode in ("open", "text") or (self.mode == "answer" and "answer" not in self.begun):
            if end == -1 and len(line) < _LONGEST_HELD_LINE and not line.strip():
                return False
            if _OBJECT_LINE.match(line):
                self._hold()
                return bool(self.pending)
            if line.lstrip()[:1] in "`~" and len(line.lstrip()) < 3 and end == -1:
                return False
        return None

    def _label(self, match: Any, shown: list[Shown]) -> bool:
        field, word = field_of(match["word"]), match["word"].lower()
        if match["weak"] is not None or match["quote"] is not None or match[0].startswith(("    ", "\t")):
            self.mode = "held"  # whether it counts shows only later
        elif self.mode == "answer" or (self.mode == "held" and field is not Field.OBSERVATION):
            self.mode = "held"  # whether the answer ends here shows later; behind an action nothing is shown
            self.acted = self.acted or field in (Field.ACTION, Field.INPUT)
        elif field is Field.OBSERVATION:
            self.inventing = self.inventing or self.acted
            self.mode = "held"
        elif field is Field.THOUGHT:
            self._settle_prologue(shown)
            self.mode = "thought"
        elif field is Field.ACTION and (self.mode == "thought" or not self.prologue):
            self.acted, self.mode = True, "held"
        elif field is Field.ACTION:
            end = self.pending.find("\n", match.end())
            if end == -1 and len(self.pending) < match.end() + _LONGEST_HELD_LINE:
                return False  # the text before it was a thought only if this line names a tool
            if self.names_tool(self.pending[match.end() : end if end != -1 else None].strip()):
                self._settle_prologue(shown)
                self.acted = True
            self.mode = "held"
        elif field is Field.ANSWER and (self.mode == "thought" or ("final" in word and word != "final")):
            self._settle_prologue(shown)
            self.mode = "answer"
        else:
            self.mode = "held"
        self.pending = self.pending[match.end() :]
        self.at_line_start = self.mode == "answer"
        return True

    def _settle_prologue(self, shown: list[Shown]) -> None:
        text = "".join(self.prologue)
        self.prologue.clear()
        if text.strip():
            self.mode = "thought"
            self._show(text, shown)

    def _show(self, text: str, shown: list[Shown]) -> None:
        if self.mode == "held" or self.drafting or not text:
            return
        if self.mode == "open":
            self.prologue.append(text)
            return
        kind: Kind = "thought" if self.mode in ("think", "thought") else self.mode  # type: ignore[assignment]
        if kind not in self.begun:
            text = text.lstrip()
            if not text:
                return
            self.begun.add(kind)
        bare = text.rstrip(" \t\r\n*`")  # blanks and closing decoration wait for what follows
        if not bare:
            self.blank.setdefault(kind, []).append(text)
            return
        held = "".join(self.blank.pop(kind, ()))
        self.blank[kind] = [text[len(bare) :]]
        shown.append(Shown(kind, held + bare))


def _joined(shown: list[Shown]) -> list[Shown]:
    joined: list[Shown] = []
    for item in shown:
        if joined and joined[-1].kind == item.kind:
            joined[-1] = Shown(item.kind, joined[-1].text + item.text)
        else:
            joined.append(item)
    return joined
