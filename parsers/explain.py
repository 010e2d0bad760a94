"""Why a reply was read the way it was: the text with the places that count, and the reading in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from react_engine.parsers.index import ToolIndex
from react_engine.parsers.layout import Mark, Places, Row, rows
from react_engine.parsers.visible import visible
from react_engine.parsers.why import why_no_call
from react_engine.types import Reading, Tolerance, ToolCall

__all__ = ["Mark", "Row", "explain", "marks", "rows", "summary"]

_SHOWN = 2000


def explain(text: str, reading: Reading, tools: Iterable[Any] | ToolIndex = (), *, width: int = 100) -> str:
    """A reading of ``text`` for people: numbered lines with the marks below each, then what was read.

    With the ``tools`` that were on offer it can say more about why there is no call. ``width`` is in columns of a
    terminal, for the text. Control characters are shown as signs; never raises for what a text or reading holds.
    """
    numbered = list(rows(text, marks(reading), width - 7))
    lines = [f"{row.number or '':4} | {row.text}".rstrip(" ") if row.text else f"{row.number:4} |" for row in numbered]
    return "\n".join([*lines, "", *summary(text, reading, tools)])


def marks(reading: Reading) -> list[Mark]:
    """Everything that a reading says about places in its text, in order; widest first at equal starts."""
    found = []
    for number, call in enumerate(reading.calls, 1):
        if call.span is not None:
            found.append(Mark("call", call.span, f"call {number}: {call.name}"))
        found.extend(_tolerated(tolerance) for tolerance in call.tolerances)
    found.extend(_tolerated(tolerance) for tolerance in reading.tolerances)
    found.extend(Mark("problem", problem.span, problem.code) for problem in reading.problems if problem.span)
    if reading.invented is not None:
        found.append(Mark("invented", reading.invented, "invented by the model, dropped"))
    return sorted(found, key=lambda mark: (mark.span.start, -mark.span.end))


def _tolerated(tolerance: Tolerance) -> Mark:
    return Mark("lossy" if tolerance.lossy else "tolerance", tolerance.span, tolerance.name)


def summary(text: str, reading: Reading, tools: Iterable[Any] | ToolIndex = ()) -> Iterator[str]:
    """What was read, a line each; and why no call was, if none was."""
    return map(visible, _summary(text, reading, tools))


def _summary(text: str, reading: Reading, tools: Iterable[Any] | ToolIndex) -> Iterator[str]:
    place = Places(text)
    for number, call in enumerate(reading.calls, 1):
        yield f"call {number}: {call.name} {_value(call)}"
        yield from (f"    {line}" for line in _tolerances(place, call.tolerances))
        if call.problem is not None:
            yield f"    problem ({call.problem.code}): {_shown(f'{call.problem.message} {call.problem.hint}'.strip())}"
    if reading.answer is not None:
        yield f"answer: {_shown(reading.answer)}"
    if reading.reasoning:
        yield f"reasoning: {_shown(reading.reasoning)}"
    yield from _tolerances(place, reading.tolerances)
    for problem in reading.problems:
        at = f" at {place(problem.span.start)}" if problem.span is not None else ""
        yield f"problem ({problem.code}{at}): {_shown(f'{problem.message} {problem.hint}'.strip())}"
    if reading.invented is not None:
        dropped = reading.invented.end - reading.invented.start
        yield f"invented: {dropped} characters from {place(reading.invented.start)} on, dropped"
    if reading.truncated:
        yield "truncated: the reply was cut by a limit"
    if not reading.calls:
        reason, *near = why_no_call(text, reading, tools)
        yield f"no call: {_shown(reason)}"
        yield from (f"    near: {_shown(line)}" for line in near)


def _tolerances(place: Places, tolerances: Iterable[Tolerance]) -> Iterator[str]:
    """A line for each name, with the first places."""
    by_name: dict[tuple[str, bool], list[int]] = {}
    for tolerance in tolerances:
        by_name.setdefault((tolerance.name, tolerance.lossy), []).append(tolerance.span.start)
    for (name, lossy), starts in by_name.items():
        more = f" and {len(starts) - 3} more" if len(starts) > 3 else ""
        at = ", ".join(place(start) for start in starts[:3])
        yield f"tolerated: {name} at {at}{more} ({'lossy' if lossy else 'lossless'})"


def _value(call: ToolCall) -> str:
    try:
        return _shown(json.dumps(call.arguments, ensure_ascii=False, default=str))
    except (ValueError, RecursionError):
        return f"with arguments too large to show: {', '.join(map(str, call.arguments))}"


def _shown(text: str) -> str:
    """Short, with further lines indented."""
    cut = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"
    return cut.replace("\n", "\n        ")
