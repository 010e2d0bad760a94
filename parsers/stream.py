"""The reader while a reply arrives: shows what is safe at once, and ends in the same reading as the whole text.

``Reader.feed`` takes any pieces of a reply; ``Reader.close`` gives the ``Reading`` that ``read`` gives for all
of it, whatever the pieces were. In between, thought and answer come out as soon as nothing behind them can
turn them into something else: never a byte of markup, never text that becomes a call; calls are told when they begin,
with their argument text, and when they are complete (``react_engine.parsers.calling``). (A closing reasoning
marker that was never opened is the one exception: it makes thought of all before it, shown or not.) Each
character is looked at a bounded number of times.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import regex

from react_engine.labels import Field, field_of
from react_engine.parsers.calling import ArgumentText, CallBegun, CallEvent, CallRead, CallWatch
from react_engine.parsers.control import END_TOKENS
from react_engine.parsers.cues import SENTENCE, announces
from react_engine.parsers.dialects import Dialect, all_records, beside, dialect_named, version
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.labels import LABEL_PATTERN
from react_engine.parsers.names import head_of
from react_engine.parsers.reader import read
from react_engine.parsers.reasoning import MARKERS
from react_engine.parsers.strictness import checked_strictness
from react_engine.types import Reading

__all__ = ["ArgumentText", "CallBegun", "CallEvent", "CallRead", "Reader", "Shown", "TextStream"]

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
_WAITING = "".join(char for char in map(chr, range(0x3001)) if char.isspace()) + "*`"


@lru_cache(maxsize=16)
def _marks(reasoning: tuple[tuple[str, str], ...], _version: Hashable) -> _Marks:
    """Made once for each set of markers: compiling costs more than reading a reply."""
    return _Marks(reasoning)


class _Marks:
    """The literal markers that end shown text, and how long a piece of one may be."""

    def __init__(self, reasoning: Sequence[tuple[str, str]]) -> None:
        records = [record for record in all_records() if record.frame in ("marked", "messages")]
        openers = [word.partition("*")[0] for record in records for word in record.openers]
        results = [word for record in records for word in record.results]
        self.thinking = {opener.lower(): closer for opener, closer in reasoning}
        self.closers = {closer.lower() for _, closer in reasoning}
        words = {*openers, *results, *END_TOKENS, *self.thinking, *self.closers, "<function", "<invoke", "<|"}
        self.prefixes = {word[:size].lower() for word in words for size in range(1, len(word))}
        """What may become a longer marker, although it is one."""
        self.pattern = regex.compile(
            "|".join(sorted(map(regex.escape, words), key=len, reverse=True)), regex.IGNORECASE
        )


class Reader:
    """Reads one reply as it arrives. See ``read`` for the arguments.

    ``tell_calls``: events of calls are wanted, which costs a second reading of each. They come where the strictness is
    tolerant and calls in reasoning are not meant.
    """

    def __init__(
        self,
        tools: Iterable[Any] | ToolIndex = (),
        dialect: str | Dialect = "auto",
        strictness: str = "tolerant",
        *,
        reasoning: Sequence[tuple[str, str]] = MARKERS,
        calls_in_reasoning: bool = False,
        tell_calls: bool = True,
    ) -> None:
        record = dialect if isinstance(dialect, Dialect) else None if dialect == "auto" else dialect_named(dialect)
        self._index = tools if isinstance(tools, ToolIndex) else ToolIndex(tools)
        self._strictness = checked_strictness(strictness)
        own = record.reasoning if record is not None else ()
        self._reasoning = (*reasoning, *(pair for pair in own if pair not in reasoning and "*" not in pair[0]))
        self._dialect, self._in_reasoning = dialect, calls_in_reasoning
        self._pieces: list[str] = []
        watch = None
        if tell_calls and not calls_in_reasoning and self._strictness == "tolerant":
            watch = CallWatch(self._tool, self._read_piece)
        with beside(record) if record is not None else nullcontext():
            marks = _marks(self._reasoning, version())
        self._shower = _Shower(marks, names_tool=self._names_tool, watch=watch, acts_in_thought=calls_in_reasoning)

    def _tool(self, written: str) -> str | None:
        name = self._index.resolve(written)
        return name.name if name.kind == "known" and name.tolerance is None else None

    def _read_piece(self, written: str) -> Reading:
        return read(written, self._index, self._dialect, reasoning=self._reasoning)

    def _names_tool(self, line: str) -> bool:
        return any(self._index.resolve(word).kind == "known" for word in (line, head_of(line)) if word)

    @property
    def inventing(self) -> bool:
        """Whether the model has begun to write an observation behind its own call: the rest is worthless."""
        return self._shower.inventing

    def feed(self, chunk: str) -> list[Shown | CallEvent]:
        """What became certain with this piece, in the order of the reply."""
        self._pieces.append(chunk)
        return self._shower.feed(chunk)

    def close(self, finish_reason: str | None = None) -> Reading:
        """The reading of everything that was fed."""
        text = "".join(self._pieces)
        return read(
            text,
            self._index,
            self._dialect,
            self._strictness,
            finish_reason=finish_reason,
            reasoning=self._reasoning,
            calls_in_reasoning=self._in_reasoning,
        )


class TextStream:
    """Shows a native reply's text as it arrives: everything but reasoning markers, labels and what may be a leaked call."""

    def __init__(self, reasoning: Sequence[tuple[str, str]] = MARKERS) -> None:
        self._shower = _Shower(_marks(tuple(reasoning), version()), plain=True)

    def feed(self, chunk: str) -> list[Shown]:
        """What became safe to show with this piece."""
        return [item for item in self._shower.feed(chunk) if isinstance(item, Shown)]


_BULLETS = ("- ", "* ", "• ")


class _Shower:
    """Decides, line by line and marker by marker, what can be shown. ``mode`` is what the text is now."""

    def __init__(
        self,
        marks: _Marks,
        *,
        plain: bool = False,
        names_tool: Callable[[str], bool] = bool,
        watch: CallWatch | None = None,
        acts_in_thought: bool = False,
    ) -> None:
        self.marks, self.names_tool, self.watch = marks, names_tool, watch
        self.acts_in_thought = acts_in_thought
        self.mode: _Mode = "text" if plain else "open"  # text without a label is text, or waits for one
        self.before_think: _Mode = self.mode
        self.inventing = False
        self.acted = False
        self.drafting = False  # a call was begun inside reasoning: a draft, or the call itself
        self.pending = ""  # received, not yet decided
        self.at_line_start = True
        self.prologue: list[str] = []  # unlabelled text whose meaning depends on the first label
        self.blank: dict[str, list[str]] = {}  # blanks at the end of what was shown: shown only if more follows
        self.begun: set[str] = set()

    def feed(self, chunk: str) -> list[Shown | CallEvent]:
        """What became certain with this piece."""
        self.pending += chunk
        shown: list[Shown | CallEvent] = []
        while self.pending and self._advance(shown):
            pass
        return _joined(shown)

    def _advance(self, shown: list[Shown | CallEvent]) -> bool:
        """Decide the front of the pending text. False when more is needed to decide it."""
        if self.at_line_start and (self.mode != "think" or self.acts_in_thought):
            decided = self._line_start(shown) if self.mode != "think" else self._thinking_line()
            if decided is not None:
                return decided
        newline = self.pending.find("\n")
        stop = newline + 1 if newline != -1 else len(self.pending)
        match = self.marks.pattern.search(self.pending, 0, stop, partial=newline == -1)
        if self.mode == "thought" and (fence := _TURNS.search(self.pending, 0, stop, partial=newline == -1)):
            if match is None or fence.start() <= match.start():
                match = fence
        if match is None:
            self._text(self.pending[:stop], shown)
            self.pending = self.pending[stop:]
            self.at_line_start = newline != -1
            return bool(self.pending)
        if match.start():
            self._text(self.pending[: match.start()], shown)
            self.pending = self.pending[match.start() :]
            self.at_line_start = False
            return True
        if match.partial or self.pending[:stop].lower() in self.marks.prefixes:
            return False
        return self._mark(match[0], shown)

    def _text(self, text: str, shown: list[Shown | CallEvent]) -> None:
        """Text in front that is no marker and no label."""
        self._show(text, shown)
        if self.watch is not None:
            if self.mode == "think":
                self.watch.skip(text)
            else:
                shown.extend(self.watch.text(text))

    def _mark(self, word: str, shown: list[Shown | CallEvent]) -> bool:
        """A marker stands in front: thinking begins or ends, or a call begins."""
        lower = word.lower()
        if self.watch is not None:
            if self.mode == "think" or lower in self.marks.thinking or lower in self.marks.closers:
                self.watch.skip(word)
            else:
                shown.extend(self.watch.mark(word))
        self.pending = self.pending[len(word) :]
        self.at_line_start = False
        if self.mode == "think":
            if lower in self.marks.closers:
                # A call in reasoning that is meant is the step: what follows it may be anything.
                self.mode = "held" if self.drafting and self.acts_in_thought else self.before_think
                self.drafting = False
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
            self.mode = "held"  # what follows may be a call: nothing of it is shown
        return True

    def _line_start(self, shown: list[Shown | CallEvent]) -> bool | None:
        """At the start of a line: a label, an object or a fence. None when it is ordinary text."""
        end = self.pending.find("\n")
        line = self.pending if end == -1 else self.pending[: end + 1]
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
            bare = line.lstrip(" \t")
            mark = self.marks.pattern.match(bare, partial=end == -1) if bare[:1] in ("[", "{", "［", "｛") else None
            if mark is not None:
                return False if mark.partial else None
            if _OBJECT_LINE.match(line):
                self.mode = "held"
                if self.watch is not None:
                    self.watch.stop()
                return bool(self.pending)
            if line.lstrip()[:1] in ("`", "~") and len(line.lstrip()) < 3 and end == -1:
                return False
        return None

    def _thinking_line(self) -> bool | None:
        """A line of reasoning in which calls are meant: from a step on nothing is shown. None to go on with the line."""
        end = self.pending.find("\n")
        line = self.pending if end == -1 else self.pending[: end + 1]
        match = _LABEL.match(line, partial=end == -1)
        if match is not None and match.partial and len(line) < _LONGEST_HELD_LINE:
            return False
        if match is not None and not match.partial:
            field = field_of(match["word"])
            self.inventing = self.inventing or (self.acted and field is Field.OBSERVATION)
            self.acted = self.acted or field is Field.ACTION
            self.drafting = self.drafting or field is not Field.THOUGHT
        elif _OBJECT_LINE.match(line):
            self.drafting = True
        return None

    def _label(self, match: Any, shown: list[Shown | CallEvent]) -> bool:
        field, word = field_of(match["word"]), match["word"].lower()
        quoted = match["weak"] is not None or match["quote"] is not None or match[0].startswith(("    ", "\t"))
        before = "".join(self.prologue)
        listed = match[0].lstrip()[:2] in _BULLETS and bool(before.strip())
        if quoted or listed or announces(before[-SENTENCE:]):
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
        if self.watch is not None and field is not None:
            if quoted or listed:
                self.watch.stop()
            else:
                shown.extend(self.watch.label(field, match[0]))
        self.pending = self.pending[match.end() :]
        self.at_line_start = self.mode == "answer"
        return True

    def _settle_prologue(self, shown: list[Shown | CallEvent]) -> None:
        text = "".join(self.prologue)
        self.prologue.clear()
        if text.strip():
            self.mode = "thought"
            self._show(text, shown)

    def _show(self, text: str, shown: list[Shown | CallEvent]) -> None:
        if self.mode == "held" or self.drafting or not text:
            return
        if self.mode == "open":
            self.prologue.append(text)
            return
        kind: Kind = self.mode if self.mode == "text" or self.mode == "answer" else "thought"
        if kind not in self.begun:
            text = text.lstrip()
            if not text:
                return
            self.begun.add(kind)
        bare = text.rstrip(_WAITING)  # blanks and closing decoration wait for what follows
        if not bare:
            self.blank.setdefault(kind, []).append(text)
            return
        held = "".join(self.blank.pop(kind, ()))
        self.blank[kind] = [text[len(bare) :]]
        shown.append(Shown(kind, held + bare))


def _joined(shown: list[Shown | CallEvent]) -> list[Shown | CallEvent]:
    joined: list[Shown | CallEvent] = []
    for item in shown:
        last = joined[-1] if joined else None
        if isinstance(item, Shown) and isinstance(last, Shown) and last.kind == item.kind:
            joined[-1] = Shown(item.kind, last.text + item.text)
        elif isinstance(item, ArgumentText) and isinstance(last, ArgumentText) and last.index == item.index:
            joined[-1] = ArgumentText(item.index, last.text + item.text)
        else:
            joined.append(item)
    return joined
