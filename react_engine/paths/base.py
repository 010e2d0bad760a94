"""How the engine and a model speak: a path renders a transcript into a request and reads the reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from react_engine.models.base import Chunk, ModelRequest, Reply
from react_engine.types import PathName, Problem, Reading, Transcript

ToolChoice = str
"""``"auto"``, ``"required"``, ``"none"``, or the name of the one tool that must be called."""


@dataclass(frozen=True, slots=True)
class Slipped:
    """A reply that could not be read, kept until a good one came: its text, and what was wrong with it."""

    raw: str
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked of a model in one step.

    ``slips`` are replies that could not be read since the last good step. ``forced`` is the reason why the
    model must answer now, without tools; empty otherwise. ``sampling`` overrides the profile's. ``guided``: the
    model has shown that native calling is not its own, so it is told how to go on. ``lead`` begins the thought of a
    reply that is begun for the model. ``urged``: what the gate made of a free choice, empty if nothing. ``room``: how many times as long as usual
    the reply may become. ``without``: tools that a constraint leaves out of this reply, if others are left.
    """

    transcript: Transcript
    slips: Sequence[Slipped] = ()
    forced: str = ""
    tool_choice: ToolChoice = "auto"
    sampling: Mapping[str, Any] | None = None
    guided: bool = False
    lead: str = ""
    urged: ToolChoice = ""
    room: int = 1
    without: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Delta:
    """What became safe to show of a streamed reply: ``kind`` is ``thought``, ``text`` or ``answer``."""

    kind: str
    text: str


class StreamReader(Protocol):
    """Reads a reply while it arrives."""

    def feed(self, chunk: Chunk) -> list[Delta]:
        """What became safe to show with this chunk."""
        ...

    @property
    def done(self) -> bool:
        """Whether the rest of the reply can only be invented, so that the request may be cancelled."""
        ...


class Path(Protocol):
    """One of the two ways: native or prompt. Pure: no I/O, no clock."""

    name: PathName

    def request(self, ask: Ask) -> ModelRequest:
        """The request for the next step."""
        ...

    def read(self, reply: Reply) -> PathReading:
        """What the reply says."""
        ...

    def stream_reader(self) -> StreamReader:
        """A reader for one streamed reply."""
        ...


@dataclass(frozen=True, slots=True)
class PathReading:
    """A reading, with what the path alone can tell.

    ``leaked``: a native reply held its calls in its text. ``dropped``: the server did not show the tools to
    the model. ``garbled``: native calls whose arguments could not be read.
    """

    reading: Reading
    raw: str = ""
    leaked: bool = False
    dropped: bool = False
    garbled: int = 0
