"""What the model is told of a call that did not run or did not succeed."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass

from react_engine.errors import InvalidArguments, ToolError, UnknownTool
from react_engine.tools.attempts import OutOfTime
from react_engine.tools.dependencies import Reference
from react_engine.tools.results import error_text, safe_str
from react_engine.tools.tool import RateLimit, Tool
from react_engine.types import Problem, Status, ToolCall

_QUOTED = 400


@dataclass(frozen=True, slots=True)
class Failure:
    """Status, text, hint and code of a result that is no success."""

    status: Status
    text: str
    hint: str = ""
    code: str = ""


class NoTurn(Exception):
    """The rate limit lets no call through within an acceptable time; ``wait`` is in seconds."""

    def __init__(self, wait: float) -> None:
        super().__init__(wait)
        self.wait = wait


def unreadable(problem: Problem) -> Failure:
    """A call that could not be read."""
    return Failure(Status.VALIDATION_ERROR, problem.message, problem.hint, problem.code)


def unknown_tool(error: UnknownTool) -> Failure:
    """A call of a tool that does not exist."""
    return Failure(Status.UNKNOWN_TOOL, error.message, error.hint, error.code)


def invalid_arguments(error: InvalidArguments) -> Failure:
    """A call with arguments that do not fit."""
    return Failure(Status.VALIDATION_ERROR, error.message, error.hint, error.code)


def unclear(call: ToolCall) -> Failure:
    """A call that was read by guess, of a tool that must not run on a guess."""
    reading = f"{call.name}({_quoted(json.dumps(call.arguments, ensure_ascii=False, default=safe_str))})"
    reasons = ", ".join(dict.fromkeys(tolerance.name for tolerance in call.tolerances if tolerance.lossy))
    text = f"{call.name} was not run, because the call could be read in more than one way ({reasons}). It was read as {reading}."
    return Failure(
        Status.VALIDATION_ERROR,
        text,
        "If that is what you mean, write the call again cleanly, exactly in the required format.",
        "unclear_call",
    )


def premature(call: ToolCall, reference: Reference, source: ToolCall) -> Failure:
    """A call that needs the result of another call of the same reply."""
    text = (
        f"{call.name} was not run: its argument {reference.path} is {_quoted(reference.text)!r}, "
        f"which stands for the result of {source.name}, and that was not known yet."
    )
    hint = f"Call {call.name} after you have the result, with the value itself as {reference.path}."
    return Failure(Status.VALIDATION_ERROR, text, hint, "needs_result")


def over_budget(reason: str) -> Failure:
    """A call beyond the number allowed in a run."""
    hint = "Go on with what you know, without calling it again."
    return Failure(Status.RATE_LIMITED, reason, hint, "call_limit")


def denied(call: ToolCall, reason: str) -> Failure:
    """A call that a person refused."""
    hint = "Do not make the same call again; ask the user what to do, or find another way."
    return Failure(Status.DENIED, f"{call.name} was not allowed to run: {reason}", hint, "denied")


def unconfirmed(call: ToolCall) -> Failure:
    """A call that needs a yes where nobody can be asked."""
    text = f"{call.name} was not run: it needs a person's yes, and nobody can be asked here."
    hint = "To allow it, run the engine with a confirm callback, or register the tool with confirm=False."
    return Failure(Status.DENIED, text, hint, "confirmation_required")


def raised(tool: Tool, error: BaseException, attempts: int) -> Failure:
    """What a tool raised, or what kept it from ending."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    tries = f" ({attempts} attempts)" if attempts > 1 else ""
    match error:
        case ToolError():
            message, hint, code = (safe_str(getattr(error, name, None) or "") for name in ("message", "hint", "code"))
            text = message.strip() or f"{tool.name} could not do that ({type(error).__name__})."
            return Failure(Status.BUSINESS_ERROR, text, hint, code)
        case NoTurn():
            return _no_turn(tool, tool.options.rate_limit, error.wait)
        case OutOfTime():
            text = f"{tool.name} gave no result within {tool.options.timeout:g} s{tries}."
            return Failure(Status.TIMEOUT, text, _after_timeout(tool), "timeout")
        case TimeoutError():
            return Failure(Status.TIMEOUT, f"{tool.name}: {error_text(error)}{tries}", _after_timeout(tool), "timeout")
        case asyncio.CancelledError():
            return Failure(Status.CANCELLED, f"{tool.name} was cancelled before it gave a result.", code="cancelled")
    text = f"{tool.name} failed: {error_text(error)}{tries}"
    hint = "Check the arguments; if they are right, the tool itself has a problem: go on without it."
    return Failure(Status.EXECUTION_ERROR, text, hint, type(error).__name__)


def _no_turn(tool: Tool, limit: RateLimit | None, wait: float) -> Failure:
    rate = f" It may be called {limit.calls} times in {limit.seconds:g} s." if limit else ""
    text = f"{tool.name} was not run: it can be called again in {max(1, round(wait))} s.{rate}"
    return Failure(Status.RATE_LIMITED, text, "Go on without it, or call it again later.", "rate_limit")


def _after_timeout(tool: Tool) -> str:
    if tool.options.side_effects:
        return "It may have taken effect all the same: check before you call it again."
    return "Ask for less at once, or go on without it."


def _quoted(text: str) -> str:
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"
