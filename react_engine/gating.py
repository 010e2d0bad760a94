"""What the gate means for a run: when it is asked, what it decides, and how the first step heeds it."""

from __future__ import annotations

from collections.abc import Sequence

from react_engine.models.base import ModelRequest, Reply
from react_engine.models.profile import ModelProfile
from react_engine.paths.base import Path, ToolChoice
from react_engine.paths.gate import verdict
from react_engine.paths.prompt import PromptPath
from react_engine.paths.turn import TurnPath
from react_engine.runs import GateDecision
from react_engine.types import Message, Transcript

_URGED: dict[str, ToolChoice] = {"answer": "none", "call": "required", "open": ""}


def gate_request(path: Path, profile: ModelProfile, choice: ToolChoice, transcript: Transcript) -> ModelRequest | None:
    """What to ask before the first step; None where the choice is not free or nothing is to be asked.

    A conversation that goes on behind a result is past the question: its answer may be due.
    """
    prompted = prompt_path(path)
    if prompted is None or profile.gate == "off" or choice != "auto":
        return None
    if not transcript or transcript[-1].role != "user":
        return None
    return prompted.gate_request(transcript)


def decided(path: Path, profile: ModelProfile, reply: Reply) -> GateDecision | None:
    """What came of asking; None if the server gave no log-probabilities."""
    prompted = prompt_path(path)
    if prompted is None or profile.gate == "off":
        return None
    chance = prompted.gate_chance(reply)
    return None if chance is None else GateDecision(chance, verdict(chance, profile.gate), reply.usage)


def urged(gate: GateDecision | None, choice: ToolChoice) -> ToolChoice:
    """What the gate makes of a free choice; empty for nothing."""
    return _URGED[gate.verdict] if gate is not None and choice == "auto" else ""


def begun_thought(gate: GateDecision | None, path: Path, transcript: Sequence[Message]) -> str:
    """How the first thought begins where the gate did not rule a tool out: as it did for the gate.

    Small models else begin with what they believe to know, such as the result of a sum, and answer with it.
    """
    prompted = prompt_path(path)
    if gate is None or gate.verdict == "answer" or prompted is None:
        return ""
    return "" if any(message.results for message in transcript) else prompted.gate_lead


def prompt_path(path: Path) -> PromptPath | None:
    """The prompt path behind a path, if it is one."""
    inner = path.inner if isinstance(path, TurnPath) else path
    return inner if isinstance(inner, PromptPath) else None
