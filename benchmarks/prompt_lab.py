"""How a prompt does on a small model: the tasks of ``prompt_tasks`` run through the engine, scored, in a table.

    python -m benchmarks.prompt_lab WEIGHTS.gguf
    python -m benchmarks.prompt_lab WEIGHTS.gguf --language zh --only chain --verbose
    python -m benchmarks.prompt_lab WEIGHTS.gguf --templates FOLDER --rendering schema --layout user

Temperature is 0 and the weights decide the rest, so a run repeats but for the last digits of the arithmetic. ``tool``
and ``arguments`` look at the first call, ``done`` at the whole run: every call that the task needs, and the answer.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.prompt_tasks import TASKS, Task
from benchmarks.prompt_tools import FUNCTIONS
from react_engine.engine import Engine
from react_engine.labels import LABELS
from react_engine.limits import Limits
from react_engine.models import open_model
from react_engine.models.base import Chunk, Model, ModelRequest, Reply
from react_engine.models.profile import ModelProfile
from react_engine.runs import EndState, Run
from react_engine.templates import Templates
from react_engine.tools.function import tool
from react_engine.types import ToolCall

Messages = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Score:
    """What became of one task. ``needed`` counts the calls of a right run."""

    task: Task
    run: Run
    tool: bool
    arguments: bool
    done: bool
    needed: int

    @property
    def tolerances(self) -> int:
        """Deviations from the asked form that the reader took."""
        return sum(
            len(step.reading.tolerances) + sum(len(c.tolerances) for c in step.reading.calls) for step in self.run.steps
        )


def score(task: Task, run: Run) -> Score:
    """Look at a run as the task's author would."""
    made, ok = run.calls, run.end is EndState.ANSWERED and task.answered(run.answer or "")
    if not task.calls:
        return Score(task, run, not made, not made, ok and not made, 0)
    first = [expected for expected in task.calls if made and expected.tool == made[0].name]
    right = bool(first) and any(expected.accepts(made[0].arguments) for expected in first)
    return Score(task, run, bool(first), right, ok and _all_made(task, made), len(task.calls))


def _all_made(task: Task, made: Sequence[ToolCall]) -> bool:
    return all(any(call.name == e.tool and e.accepts(call.arguments) for call in made) for e in task.calls)


class Layout:
    """A model that is asked with the messages in an arrangement that the prompt path does not have."""

    def __init__(self, model: Model, arrange: Callable[[Messages], Messages]) -> None:
        self._model, self._arrange = model, arrange
        self.name = model.name

    async def complete(self, request: ModelRequest) -> Reply:
        """The reply to the arranged messages."""
        messages = self._arrange([dict(message) for message in request.messages])
        return await self._model.complete(replace(request, messages=tuple(messages)))

    def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Not needed here: runs are not watched."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Release the model."""
        await self._model.aclose()


def in_user_turn(messages: Messages, templates: Templates) -> Messages:
    """Steps and observations below the request, in the user's turn."""
    merged = [dict(message) for message in templates.continued(messages)]
    steps = merged.pop()["content"].removesuffix(f"{templates.labels.thought}:").strip()
    return [*merged[:-1], {**merged[-1], "content": f"{merged[-1]['content']}\n\n{steps}".strip()}]


LAYOUTS = ("continued", "turns", "user")
"""Where observations stand: inside the assistant's turn, in turns of the user, in the first turn of the user."""


def make_engine(options: argparse.Namespace) -> Engine:
    """The engine on the prompt path with everything that the command line varies."""
    record = ModelProfile(
        f"local/{options.weights}",
        function_calling=False,
        client="local",
        continues=options.layout == "continued",
        system_role=options.system,
        context_length=8192,
    )
    model = open_model(record)
    if options.layout == "user":
        model = Layout(model, partial(in_user_turn, templates=Templates(options.language)))
    return Engine(
        model,
        [tool(function) for function in FUNCTIONS],
        path="prompt",
        language=options.language,
        templates=options.templates,
        rendering=options.rendering,
        limits=Limits(steps=6, repeat_refuse=2, repeat_stop=3, format_retries=1),
        sampling={"temperature": 0, "max_tokens": options.max_tokens},
        record=record,
    )


def show(result: Score) -> None:
    """One run, in words."""
    mark = "ok " if result.done else "BAD"
    print(f"{mark} {result.task.text}  [{result.run.end}, {result.run.slips} slips, {result.tolerances} tolerances]")
    if result.done:
        return
    for step in result.run.steps:
        print(f"      thought: {step.thought}")
        for call, outcome in zip(step.calls, step.results, strict=True):
            print(
                f"      {call.name} {json.dumps(call.arguments, ensure_ascii=False)} -> {outcome.status}: {outcome.text[:200]!r}"
            )
    print(f"      answer: {run_answer(result.run)!r}")


def run_answer(run: Run) -> str:
    """The answer, or why there is none."""
    return run.answer if run.answer is not None else run.message


def table(results: Sequence[Score], seconds: float) -> str:
    """The scores, a row for each kind of task."""
    lines = [
        "| tasks | tool | arguments | done | spare calls | slips | tolerances | tokens out |",
        "|---|---|---|---|---|---|---|---|",
    ]
    groups: dict[str, Callable[[Score], bool]] = {
        "single": lambda s: s.task.kind == "single",
        "… in Chinese": lambda s: s.task.kind == "single" and s.task.chinese,
        "chain": lambda s: s.task.kind == "chain",
        "none": lambda s: s.task.kind == "none",
    }
    for name, belongs in groups.items():
        group = [result for result in results if belongs(result)]
        if group:
            lines.append(_row(name, group))
    first = [result.run.steps[0].usage.prompt_tokens for result in results if result.run.steps]
    lines.append(f"\n{len(results)} tasks, {seconds:.0f} s, first prompt {min(first, default=0)} tokens")
    return "\n".join(lines)


def _row(name: str, group: Sequence[Score]) -> str:
    share = [sum(getattr(s, field) for s in group) for field in ("tool", "arguments", "done")]
    spare = sum(max(0, len(s.run.calls) - s.needed) for s in group)
    slips, tolerances = sum(s.run.slips for s in group), sum(s.tolerances for s in group)
    tokens = sum(s.run.usage.completion_tokens for s in group) / len(group)
    shares = " | ".join(f"{count}/{len(group)}" for count in share)
    return f"| {name} | {shares} | {spare} | {slips} | {tolerances} | {tokens:.0f} |"


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="prompt_lab", description="Score a prompt on a local model.")
    parser.add_argument("weights", type=Path, help="a GGUF file")
    parser.add_argument("--language", choices=list(LABELS), default="en")
    parser.add_argument("--templates", type=Path, help="a folder of templates in place of the package's own")
    parser.add_argument("--rendering", choices=["signature", "schema"], default="signature")
    parser.add_argument("--layout", choices=LAYOUTS, default=LAYOUTS[0], help="where observations stand")
    parser.add_argument("--system", choices=["system", "user"], default="system", help="where the system text stands")
    parser.add_argument("--only", choices=["single", "chain", "none"], help="one kind of task")
    parser.add_argument("--every", type=int, default=1, help="take every n-th task")
    parser.add_argument("--max-tokens", type=int, default=200, help="of one reply")
    parser.add_argument("--verbose", action="store_true", help="show every run")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tasks and print the table."""
    options = parse(arguments)
    tasks = [task for task in TASKS if options.only in (None, task.kind)][:: options.every]
    engine, results, began = make_engine(options), [], time.monotonic()
    for task in tasks:
        results.append(score(task, engine.run(task.text)))
        if options.verbose:
            show(results[-1])
            sys.stdout.flush()
    engine.close()
    print(table(results, time.monotonic() - began))
    return 0


if __name__ == "__main__":
    sys.exit(main())
