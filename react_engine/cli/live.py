"""The live view of a run: the steps on stderr, with colour on a terminal; the answer on stdout as it comes."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from react_engine import events
from react_engine.cli.output import is_terminal, note, say
from react_engine.parsers.visible import visible
from react_engine.runs import EndState, Run
from react_engine.serialization import SECRET, as_data
from react_engine.types import ToolCall, ToolResult

if TYPE_CHECKING:
    from rich.console import Console

_SHOWN = 400
_ADVICE = {
    EndState.MAX_STEPS: "--max-steps allows more.",
    EndState.MAX_CALLS: "--max-calls allows more.",
    EndState.BUDGET: "The limits stand in the settings, or in --max-seconds and --max-money.",
    EndState.FORMAT: "`react-engine parse` shows how a reply is read; a larger model may do better.",
    EndState.TRUNCATED: "--max-tokens sets the limit.",
    EndState.DENIED: "--yes allows tools with side effects.",
}


class LiveView:
    """Tells a run's events as they come; ``quiet`` tells no steps.

    With ``stream`` the answer is written to stdout while it arrives. That is for terminals: what was begun as an
    answer may turn out to be none, and then only the eye can tell. ``answer`` prints what is still missing of it.
    """

    def __init__(self, *, quiet: bool = False, stream: bool = False) -> None:
        self._quiet, self._stream = quiet, stream
        self._console = None if quiet else _console()
        self._open = ""
        self._answer = ""

    def __call__(self, event: events.Event) -> None:
        """Tell one event."""
        match event:
            case events.StepBegan(step, path):
                self._line(f"step {step + 1} ({path})", "dim")
            case events.ThoughtDelta(text):
                self._piece("thought", text, "italic")
            case events.TextDelta(text):
                self._piece("text", text, "dim")
            case events.AnswerDelta(text) if self._stream:
                self._answer_piece(text)
            case events.CallBegan(call):
                self._line(call_line(call), "cyan")
                self._tolerances(call)
            case events.CallEnded(_, result):
                self._line(result_line(result), "green" if result.ok else "red")
            case events.Slip(_, raw, problems):
                self._line("unreadable: " + " ".join(problem.message for problem in problems), "yellow")
                self._line(f"  the reply was: {json.dumps(_shortened(raw), ensure_ascii=False)}", "dim")
            case events.Gated(decision) if decision.verdict != "open":
                word = "no tool is needed" if decision.verdict == "answer" else "a tool is needed"
                self._line(f"gate: {word} (chance of an answer {decision.chance:.2g})", "dim")
            case events.FellBack(fallback):
                self._line(f"fallback ({fallback.reason}): {fallback.detail}", "yellow")
            case events.RunEnded(run):
                self._close()
                if run.end is EndState.CANCELLED and is_terminal(sys.stderr):
                    note()  # the terminal has written ^C
                self._line(_totals(run), "dim")

    def answer(self, run: Run) -> None:
        """Print the answer, or what was not shown of it yet."""
        self._close()
        if run.answer is not None and run.answer != self._answer:
            say(run.answer)
        self._answer = ""

    def ended(self, run: Run) -> None:
        """Say why the run ended, if it did not end well."""
        self._close()
        if run.end is EndState.CANCELLED:
            note("Interrupted.")
        elif not run.ok:
            note(f"{run.end}: {run.message} {_ADVICE.get(run.end, '')}".rstrip())

    def _tolerances(self, call: ToolCall) -> None:
        names = [f"{item.name} (lossy)" if item.lossy else item.name for item in call.tolerances]
        if names:
            self._line(f"  read with: {', '.join(dict.fromkeys(names))}", "dim")

    def _answer_piece(self, text: str) -> None:
        if self._open != "answer":
            self._close()
            self._open, self._answer = "answer", ""
        self._answer += text
        click.echo(visible(text.replace("\r", "")), nl=False)

    def _piece(self, kind: str, text: str, style: str) -> None:
        if self._open != kind:
            self._close()
            self._open = kind
            self._write(f"{kind}: ", style)
        self._write(text, style)

    def _line(self, text: str, style: str) -> None:
        self._close()
        self._write(f"{text}\n", style)

    def _close(self) -> None:
        if self._open == "answer":
            click.echo()
        elif self._open:
            self._write("\n", "")
        self._open = ""

    def _write(self, text: str, style: str) -> None:
        text = text.replace("\r", "")
        if self._console is None:
            if not self._quiet:
                note(text, end="")
            return
        from rich.text import Text

        with suppress(OSError):  # the terminal has gone; the run need not
            self._console.print(Text(visible(text), style), end="")


def _console() -> Console | None:
    """Rich on a terminal, plain text elsewhere."""
    if not is_terminal(sys.stderr):
        return None
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True)


def call_line(call: ToolCall) -> str:
    """A call in one line."""
    return f"→ {call.name} {_shortened(json.dumps(as_data(call.arguments), ensure_ascii=False))}"


def result_line(result: ToolResult) -> str:
    """A result, shortened, without what is secret."""
    text = SECRET if result.secret else _shortened(result.text)
    return f"← {text}" if result.ok else f"← {result.status}: {text} {'' if result.secret else result.hint}".rstrip()


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"


def _totals(run: Run) -> str:
    """What a run took."""
    cost = f", ${run.usage.cost:.4f}" if run.usage.cost is not None else ""
    parts = (_count(len(run.steps), "step"), _count(len(run.calls), "call"), _count(run.usage.total_tokens, "token"))
    return f"{', '.join(parts)}, {run.elapsed:.1f} s{cost}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
