"""What happens in a run while it happens: told to whoever streams it."""

from __future__ import annotations

from dataclasses import dataclass

from react_engine.runs import Fallback, GateDecision, Run
from react_engine.types import PathName, Problem, ToolCall, ToolResult


@dataclass(frozen=True, slots=True)
class StepBegan:
    """The model is asked for its next step."""

    step: int
    path: PathName


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """A piece of the model's reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of visible text that may turn out to come before a call: commentary, or the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class AnswerDelta:
    """A piece of the answer. All since the last ``StepBegan`` are the answer: a reply may turn out to be none."""

    text: str


@dataclass(frozen=True, slots=True)
class CallBegan:
    """A call is about to run, or to be refused."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A call has its result."""

    call: ToolCall
    result: ToolResult


@dataclass(frozen=True, slots=True)
class Slip:
    """A reply could not be read; the model is told what was wrong and asked again."""

    step: int
    raw: str
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class FellBack:
    """The native path did not hold."""

    fallback: Fallback


@dataclass(frozen=True, slots=True)
class Gated:
    """Before the first step the model was asked whether it needs a tool."""

    decision: GateDecision


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run is over."""

    run: Run


Event = StepBegan | ThoughtDelta | TextDelta | AnswerDelta | CallBegan | CallEnded | Slip | FellBack | Gated | RunEnded
