"""Calls while they arrive: begun with a name, argument text as it is written, and complete.

``CallWatch`` is told what the stream consists of (markers, labels, text between them) and says of calls what is certain
by then. It follows strict JSON behind a marker, arguments whose call is named in its markup, and labelled steps;
whatever else a model writes is left to the reading of the whole reply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from msgspec import structs

from react_engine.labels import Field
from react_engine.parsers.call_frames import Found, Frame, Known, LabelledFrame, MarkedFrame
from react_engine.parsers.cues import SENTENCE, announces, leads_on
from react_engine.parsers.markup import markup
from react_engine.types import Reading, Span, ToolCall


@dataclass(frozen=True, slots=True)
class CallBegun:
    """A call of this tool is being written: call number ``index`` of the reply, unless its arguments are unreadable."""

    index: int
    name: str


@dataclass(frozen=True, slots=True)
class ArgumentText:
    """A piece of the arguments of call number ``index``, as the model writes them."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class CallRead:
    """Call number ``index`` is complete, with the name and arguments that the reading of the whole reply has for it.

    Its span and raw text are those of the frame that it came in.
    """

    index: int
    call: ToolCall


_OPEN_ENDED = frozenset({"unclosed-string", "missing-closer"})
CallEvent = CallBegun | ArgumentText | CallRead


class CallWatch:
    """Follows the calls of one reply. ``known`` gives the tool that a written name means, ``read`` reads a piece."""

    def __init__(self, known: Known, read: Callable[[str], Reading]) -> None:
        self._known, self._read = known, read
        self._index = self._offset = 0
        self._off = False
        self._line_blank = True
        self._said = ""
        self._frame: Frame | None = None

    def stop(self) -> None:
        """Say nothing more: what follows may be a quotation, or no call at all."""
        self._off, self._frame = True, None

    def skip(self, text: str) -> None:
        """Text in which no call counts: reasoning."""
        self._offset += len(text)
        self._line_blank = True

    def mark(self, word: str) -> list[CallEvent]:
        """A marker stands in the text."""
        if self._frame is not None and self._frame.holds_marks:
            return self.text(word)
        start, self._offset = self._offset, self._offset + len(word)
        owners = [dialect for dialect in markup().owning(word) if dialect.frame == "marked"]
        events = self._end()
        if not self._off and owners:
            if self._line_blank and not leads_on(self._said) and not announces(self._said):
                self._frame = MarkedFrame(start, word, self._known, owners)
            else:
                self.stop()
        elif not owners and (word[0] in "`~\\" or word[0].isalpha() or markup().result.match(word)):
            self.stop()  # a quotation, a step on one line, a result that the model makes up
        return events

    def label(self, field: Field, written: str) -> list[CallEvent]:
        """A label stands at the start of a line."""
        start, self._offset, self._line_blank = self._offset, self._offset + len(written), False
        frame = self._frame
        if isinstance(frame, LabelledFrame) and field is Field.INPUT and frame.takes_input:
            return self._told(frame.begin_input(written))
        events = self._end()
        if not self._off and not self._index and announces(self._said):
            self.stop()
        elif field is Field.ACTION and not self._off:
            self._frame = LabelledFrame(start, written, self._known)
        elif field is not Field.THOUGHT or self._index:
            self.stop()
        return events

    def text(self, piece: str) -> list[CallEvent]:
        """Text between markers and labels."""
        self._offset += len(piece)
        self._said = (self._said + piece)[-SENTENCE:]
        newline = piece.rfind("\n")
        line = piece[newline + 1 :]
        # Markup may stand before a marker on its line, words may not: they talk about it, and indentation quotes it.
        if line.strip():
            self._line_blank = line.rstrip()[-1] in ">]|｜"
        else:
            self._line_blank = (newline != -1 or self._line_blank) and len(line.expandtabs()) < 4
        return self._told(self._frame.feed(piece)) if self._frame is not None else []

    def _end(self) -> list[CallEvent]:
        """The frame ends where another marker or label stands."""
        frame = self._frame
        if frame is None:
            return []
        self._line_blank = True  # markup may follow markup on one line
        if isinstance(frame, LabelledFrame) and not frame.begun:
            self.stop()
            return []
        events = self._told(frame.end())
        self._frame = None
        return events

    def _told(self, found: Iterable[Found]) -> list[CallEvent]:
        events: list[CallEvent] = []
        for kind, text, start in found:
            if self._off:
                break
            if kind == "name":
                events.append(CallBegun(self._index, text))
            elif kind == "text":
                events.append(ArgumentText(self._index, text))
            elif (call := self._call(text, start)) is not None:
                events.append(CallRead(self._index, call))
                self._index += 1
            else:
                self.stop()
        if self._frame is not None and self._frame.lost:
            self.stop()
        return events

    def _call(self, written: str, start: int) -> ToolCall | None:
        """The call that a piece of the reply holds, if it is one and nothing else."""
        reading = self._read(written)
        if len(reading.calls) != 1 or reading.problems:
            return None
        call = reading.calls[0]
        if any(tolerance.lossy or tolerance.name in _OPEN_ENDED for tolerance in call.tolerances):
            return None
        return structs.replace(call, span=Span(start, start + len(written)), raw=written)
