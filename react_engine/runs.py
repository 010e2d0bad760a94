"""What a run leaves behind: its steps, how it ended, which path it left and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from react_engine.errors import ReactEngineError
from react_engine.types import PathName, Reading, ToolCall, ToolResult, Transcript, Usage


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of the loop: how a reply was read and what came of its calls."""

    index: int
    path: PathName
    reading: Reading
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()
    usage: Usage = Usage()
    finish_reason: str | None = None

    @property
    def thought(self) -> str | None:
        """The model's reasoning in this step."""
        return self.reading.reasoning


class EndState(StrEnum):
    """How a run ended."""

    ANSWERED = "answered"
    MAX_STEPS = "max_steps"
    MAX_CALLS = "max_calls"
    LOOP = "loop"
    BUDGET = "budget"
    FORMAT = "format"
    TRUNCATED = "truncated"
    DENIED = "denied"
    CANCELLED = "cancelled"
    ERROR = "error"


class FallbackReason(StrEnum):
    """What made the engine leave the plain native path."""

    TOOLS_REFUSED = "tools_refused"
    TOOLS_DROPPED = "tools_dropped"
    LEAKED_CALL = "leaked_call"
    MALFORMED_ARGUMENTS = "malformed_arguments"
    FEATURE_REFUSED = "feature_refused"


@dataclass(frozen=True, slots=True)
class Fallback:
    """The native path did not hold in a step, and what the engine did about it.

    With ``target`` equal to ``origin`` the reply was read in place and the run stayed on its path. ``status`` is
    the HTTP status with which a server refused something.
    """

    step: int
    reason: FallbackReason
    origin: PathName
    target: PathName
    detail: str = ""
    status: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class GateDecision:
    """What came of asking the model, before its first step, whether it needs a tool.

    ``chance`` is how likely it was to answer without, from 0 to 1. ``verdict``: ``answer`` (it may only answer),
    ``call`` (it is asked to use a tool first) or ``open`` (it decides by itself). ``usage`` is what asking cost.
    """

    chance: float
    verdict: Literal["answer", "call", "open"]
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run: how it ended, the answer if there is one, and everything that led there.

    ``message`` says in a sentence what ended it and, where it did not end well, what to do.
    ``elapsed`` is in seconds. ``transcript`` continues in the next turn of a session.
    """

    end: EndState
    answer: str | None
    message: str = ""
    steps: tuple[Step, ...] = ()
    transcript: Transcript = ()
    usage: Usage = Usage()
    elapsed: float = 0.0
    model: str = ""
    fallbacks: tuple[Fallback, ...] = ()
    slips: int = 0
    gate: GateDecision | None = None
    error: ReactEngineError | None = field(default=None, compare=False)

    @property
    def ok(self) -> bool:
        """Whether the model answered by itself."""
        return self.end is EndState.ANSWERED

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Every call of the run, in order."""
        return tuple(call for step in self.steps for call in step.calls)

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """Every result of the run, in the order of ``calls``."""
        return tuple(result for step in self.steps for result in step.results)


class LimitReached(ReactEngineError):
    """A run ended without what was asked of it. Carries the run."""

    def __init__(self, message: str, run: Run | None = None) -> None:
        super().__init__(message)
        self.run = run
