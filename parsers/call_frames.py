"""The frames of calls while they arrive: where the name is, which text is arguments, where the call ends.

Each frame is fed the text behind its marker or label and gives what became certain: ``("name", tool)``,
``("text", piece of the arguments)``, ``("call", piece of the reply that holds the call, where it begins)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from react_engine.parsers.dialects import Dialect
from react_engine.parsers.envelopes import ARGUMENT_KEYS
from react_engine.parsers.json_stream import JsonStream
from react_engine.parsers.markup import markup

Known = Callable[[str], str | None]
"""The tool that a written name means, or None."""
Found = tuple[Literal["name", "text", "call"], str, int]

_NAMES = frozenset({"name", "tool_name", "function", "tool", "action"})
_VALUES = frozenset(ARGUMENT_KEYS)
_BLANKS = " \t\r\n"
_LONGEST_HEAD = 400
_LONGEST_CLOSER = 64


class Frame:
    """One frame. ``start`` is where its marker or label begins in the reply.

    ``begun``: a name was given and its call is not complete. ``lost``: only the whole reply can say what this is.
    """

    def __init__(self, start: int, opening: str, known: Known) -> None:
        self.start = start
        self.known = known
        self.pieces = [opening]
        self.begun = self.lost = False

    def feed(self, piece: str) -> Iterator[Found]:
        """What the piece made certain."""
        self.pieces.append(piece)
        yield from self._feed(piece)

    def _feed(self, piece: str) -> Iterator[Found]:
        raise NotImplementedError

    @property
    def holds_marks(self) -> bool:
        """Whether a marker here is data: it stands inside a JSON value."""
        return False

    def end(self) -> Iterator[Found]:
        """What is certain now that another marker or label follows."""
        yield from ()


class MarkedFrame(Frame):
    """A call behind a marker, or a block of them: the form of what follows decides what reads it."""

    def __init__(self, start: int, opening: str, known: Known, owners: list[Dialect]) -> None:
        super().__init__(start, opening, known)
        self._owners = owners
        self._head = ""
        self._body: Objects | NamedObject | Tagged | None = None

    def _feed(self, piece: str) -> Iterator[Found]:
        if self._body is None:
            self._head += piece
            name, piece = self._begin()
            if self._body is None:
                return
            if name:
                self.begun = True
                yield "name", name, 0
        for kind, text, at in self._body.feed(piece):
            self.begun = kind != "call"
            yield kind, text, at
        self.lost = self._body.lost
        if self.begun and self._body.closed and not self._owners[0].self_named:
            yield from self.end()

    @property
    def holds_marks(self) -> bool:
        """Whether a marker here is data."""
        return isinstance(self._body, Objects | NamedObject) and self._body.inside

    def end(self) -> Iterator[Found]:
        """The call, if its arguments are complete: a marker inside open ones needs the whole reply."""
        if self.begun and self._body is not None and self._body.closed:
            self.begun = False
            yield "call", "".join(self.pieces), self.start
        elif self.begun:
            self.lost = True

    def _begin(self) -> tuple[str, str]:
        """(the name, what is left of the head) once the form of the body shows."""
        head = self._head.lstrip(_BLANKS)
        position = self.start + len(self.pieces[0]) + len(self._head) - len(head)
        if head[:1] in ("{", "["):
            if any(not owner.head and not owner.lead for owner in self._owners):
                self._body = Objects(position, self.known)
            self.lost = self._body is None
            return "", head
        for owner in self._owners:
            match = owner.head_pattern.match(self._head) if owner.head_pattern is not None and not owner.lead else None
            rest = self._head[match.end() :].lstrip(_BLANKS) if match is not None else ""
            if match is not None and rest:
                name = self.known(match.groupdict().get("name") or "")
                if name is None:
                    self.lost = True
                    return "", ""
                self._body = NamedObject() if rest[0] == "{" else Tagged()
                return name, rest
        self.lost = len(self._head) > _LONGEST_HEAD
        return "", ""


class Objects:
    """JSON objects that hold name and arguments, alone or in a list."""

    def __init__(self, at: int, known: Known) -> None:
        self._at, self._known = at, known
        self._stream: JsonStream | None = None
        self._pieces: list[str] = []
        self._begun = self._over = False
        self.lost = False

    @property
    def inside(self) -> bool:
        """Whether an object is open."""
        return self._stream is not None

    @property
    def closed(self) -> bool:
        """Calls are given one by one."""
        return False

    def feed(self, piece: str) -> Iterator[Found]:
        """What the piece made certain."""
        while piece and not self.lost and not self._over:
            if self._stream is None:
                behind = piece.lstrip(_BLANKS + "[,")
                self._at += len(piece) - len(behind)
                piece = behind
                if not piece:
                    return
                if piece[0] != "{":
                    self._over = True
                    return
                self._stream, self._pieces, self._begun = JsonStream(_NAMES, _VALUES), [], False
            yield from self._object(self._stream, piece)
            if not self._stream.complete:
                self._pieces.append(piece)
                return
            rest = self._stream.rest
            self._pieces.append(piece[: len(piece) - len(rest)])
            written = "".join(self._pieces)
            yield "call", written, self._at
            self._at += len(written)
            self._stream, piece = None, rest

    def _object(self, stream: JsonStream, piece: str) -> Iterator[Found]:
        for kind, text in stream.feed(piece):
            if kind == "name" and not self._begun:
                name = self._known(text)
                if name is None:
                    self.lost = True
                    return
                self._begun = True
                yield "name", name, 0
            elif kind == "value" and self._begun:
                yield "text", text, 0
        self.lost = self.lost or stream.broken or (stream.complete and not self._begun)


class NamedObject:
    """The arguments of a call that its head names, as one JSON object."""

    def __init__(self) -> None:
        self._stream = JsonStream(frozenset(), frozenset())
        self.lost = False

    @property
    def inside(self) -> bool:
        """Whether the object is open."""
        return not self._stream.complete

    @property
    def closed(self) -> bool:
        """Whether the object is complete."""
        return self._stream.complete

    def feed(self, piece: str) -> Iterator[Found]:
        """What the piece made certain."""
        if self._stream.complete:
            return
        for _, text in self._stream.feed(piece):
            yield "text", text, 0
        self.lost = self._stream.broken


class Tagged:
    """Arguments in tags, or in another form that has no end of its own: they run up to a closing marker."""

    def __init__(self) -> None:
        self._kept = ""
        self.closed = self.lost = False

    def feed(self, piece: str) -> Iterator[Found]:
        """Argument text; what may be the beginning of a closing marker waits for the rest of it."""
        if self.closed:
            return
        text = self._kept + piece
        known = markup()
        closer = next(
            (
                found
                for found in known.closer.finditer(text)
                if not any(t.closer.match(text, found.start()) for t in known.tags)
            ),
            None,
        )
        if closer is not None:
            self.closed, self._kept = True, ""
            if closer.start():
                yield "text", text[: closer.start()], 0
            return
        cut = text.rfind("<")
        cut = len(text) if cut == -1 or len(text) - cut > _LONGEST_CLOSER else cut
        self._kept = text[cut:]
        if cut:
            yield "text", text[:cut], 0


class LabelledFrame(Frame):
    """An action with its input. It ends where the next label stands, since more may follow its object."""

    def __init__(self, start: int, opening: str, known: Known) -> None:
        super().__init__(start, opening, known)
        self._line = ""
        self._in_input = False

    def begin_input(self, written: str) -> Iterator[Found]:
        """The label of the input follows. Nothing is given when the line before it is no tool's name."""
        self.pieces.append(written)
        if not self.begun:
            yield from self._name()
        self._in_input = True

    @property
    def takes_input(self) -> bool:
        """Whether an input belongs to this action."""
        return not self._in_input and not self.lost

    def _feed(self, piece: str) -> Iterator[Found]:
        if self._in_input:
            if self.begun:
                yield "text", piece, 0
            return
        self._line += piece
        if "\n" in self._line.lstrip(_BLANKS) and not self.begun:
            yield from self._name()

    def end(self) -> Iterator[Found]:
        """The call, complete now."""
        if self.begun:
            self.begun = False
            yield "call", "".join(self.pieces), self.start

    def _name(self) -> Iterator[Found]:
        name = self.known(self._line.strip()) if len(self._line) < _LONGEST_HEAD else None
        if name is None:
            self.lost = True
            return
        self.begun = True
        yield "name", name, 0
