"""The live view of a run on stderr: with colour on a terminal, plain otherwise."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from react_engine import events
from react_engine.types import ToolCall, ToolResult

if TYPE_CHECKING:
    from rich.console import Console

_SHOWN = 400


class LiveView:
    """Tells a run's events as they come. ``quiet`` tells nothing."""

    def __init__(self, *, quiet: bool = False) -> None:
        from rich.console import Console

        self.console: Console = Console(stderr=True, highlight=False, soft_wrap=True, quiet=quiet)
        self._open = ""

    def __call__(self, event: events.Event) -> None:
        """Tell one event."""
        match event:
            case events.StepBegan(step, path):
                self._line(f"step {step + 1} ({path})", "dim")
            case events.ThoughtDelta(text):
                self._piece("thought", text, "italic dim")
            case events.TextDelta(text):
                self._piece("text", text, "dim")
            case events.CallBegan(call):
                self._line(f"→ {call.name} {_arguments(call)}", "cyan")
                self._tolerances(call)
            case events.CallEnded(_, result):
                self._line(f"← {_result(result)}", "green" if result.ok else "red")
            case events.Slip(_, _, problems):
                self._line("unreadable: " + " ".join(problem.message for problem in problems), "yellow")
            case events.FellBack(fallback):
                self._line(f"fallback ({fallback.reason}): {fallback.detail}", "yellow")
            case _:
                self._close()

    def _tolerances(self, call: ToolCall) -> None:
        names = [f"{item.name} (lossy)" if item.lossy else item.name for item in call.tolerances]
        if names:
            self._line(f"  read with: {', '.join(dict.fromkeys(names))}", "dim")

    def _piece(self, kind: str, text: str, style: str) -> None:
        if self._open != kind:
            self._close()
            self._open = kind
        self.console.print(_clean(text), style=style, end="", markup=False)

    def _line(self, text: str, style: str) -> None:
        self._close()
        self.console.print(_clean(text), style=style, markup=False)

    def _close(self) -> None:
        if self._open:
            self.console.print()
            self._open = ""


def _arguments(call: ToolCall) -> str:
    return _shortened(json.dumps(call.arguments, ensure_ascii=False, default=str))


def _result(result: ToolResult) -> str:
    text = _shortened(result.text)
    return text if result.ok else f"{result.status}: {text} {result.hint}".strip()


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"


def _clean(text: str) -> str:
    """Without the control characters by which a model or tool could drive the terminal."""
    return "".join(char for char in text if char in "\n\t" or (char.isprintable() or ord(char) > 0x9F))
