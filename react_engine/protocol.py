"""What the loop asks of whoever drives it, and what it is answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from react_engine.errors import ModelError
from react_engine.events import Event
from react_engine.models.base import ModelRequest, Reply
from react_engine.paths.base import Path
from react_engine.types import ToolCall, ToolResult


@dataclass(frozen=True, slots=True)
class AskModel:
    """Ask the model; answer with ``Answered`` or ``Failed``."""

    step: int
    path: Path
    request: ModelRequest


@dataclass(frozen=True, slots=True)
class AskGate:
    """Ask the model, in one token, whether it needs a tool; answer with ``Answered`` or ``Failed``."""

    request: ModelRequest


@dataclass(frozen=True, slots=True)
class CallTools:
    """Run the calls; answer with ``Called``."""

    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """The model's reply. ``at`` is in seconds since the run began."""

    reply: Reply
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Failed:
    """The model gave no reply."""

    error: ModelError
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Called:
    """One result for each call, in their order."""

    results: Sequence[ToolResult]
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Stopped:
    """Somebody cancelled the run, or its time is up; may be sent in place of any answer.

    ``results``: of calls that have ended by then.
    """

    at: float = 0.0
    results: Sequence[ToolResult] = ()


Demand = AskModel | AskGate | CallTools | Event
Answer = Answered | Failed | Called | Stopped | None
