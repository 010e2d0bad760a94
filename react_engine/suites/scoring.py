"""How a run did at a task of a suite."""

from __future__ import annotations

from dataclasses import dataclass

from react_engine.runs import EndState, Run
from react_engine.suites.matching import told
from react_engine.suites.suite import Task


@dataclass(frozen=True, slots=True)
class Score:
    """``tool`` and ``arguments`` look at the first call (or that none was made where none is needed), ``calls`` at
    all of them, ``answer`` at the answer; ``done`` is all together. ``spare`` counts calls beyond those needed.
    """

    tool: bool
    arguments: bool
    calls: bool
    answer: bool
    done: bool
    spare: int


def score(task: Task, run: Run) -> Score:
    """Look at a run as the task's author would."""
    made = run.calls
    answer = run.end is EndState.ANSWERED and all(told(part, run.answer or "") for part in task.answer)
    if not task.calls:
        return Score(not made, not made, not made, answer, answer and not made, len(made))
    named = [wanted for wanted in task.calls if made and wanted.tool == made[0].name]
    right = any(wanted.meets(made[0].name, made[0].arguments) for wanted in named)
    every = all(any(wanted.meets(call.name, call.arguments) for call in made) for wanted in task.calls)
    return Score(bool(named), right, every, answer, every and answer, max(0, len(made) - len(task.calls)))
