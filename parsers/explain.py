"""Why a reply was read the way it was: the reading in words, with the places in the raw text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from react_engine.types import Reading, Span, Tolerance

Kind = Literal["call", "tolerance", "lossy", "problem", "invented"]


@dataclass(frozen=True, slots=True)
class Mark:
    """One span of the raw text with what it is."""

    kind: Kind
    span: Span
    label: str


def marks(text: str, reading: Reading) -> list[Mark]:
    """Everything that a reading says about places in ``text``, in order; widest first at equal starts."""
    found = []
    for number, call in enumerate(reading.calls, 1):
        if call.span is not None:
            found.append(Mark("call", call.span, f"call {number}: {call.name}"))
        found.extend(_tolerance(tolerance) for tolerance in call.tolerances)
    found.extend(_tolerance(tolerance) for tolerance in reading.tolerances)
    found.extend(Mark("problem", problem.span, problem.code) for problem in reading.problems if problem.span)
    if reading.invented is not None:
        found.append(Mark("invented", reading.invented, "written by the model, dropped"))
    return sorted(found, key=lambda mark: (mark.span.start, -mark.span.end))


def _tolerance(tolerance: Tolerance) -> Mark:
    return Mark("lossy" if tolerance.lossy else "tolerance", tolerance.span, tolerance.name)


def explain(text: str, reading: Reading) -> str:
    """The reading for people: the text with line numbers and the marks below each line, then the result."""
    return "\n".join([*_annotated(text, marks(text, reading)), "", *summary(text, reading)])


def _annotated(text: str, found: list[Mark]) -> Iterator[str]:
    start = 0
    for number, line in enumerate(text.split("\n"), 1):
        end = start + len(line)
        yield f"{number:4} | {line}"
        for mark in found:
            if start <= mark.span.start <= end and not (mark.span.start == end and mark.span.end > end):
                width = max(1, min(mark.span.end, end) - mark.span.start)
                more = "…" if mark.span.end > end else ""
                yield f"     | {' ' * (mark.span.start - start)}{'~' * width}{more} {mark.label}"
        start = end + 1


def summary(text: str, reading: Reading) -> Iterator[str]:
    """What was read, a line each; and why no call was, if none was."""
    for number, call in enumerate(reading.calls, 1):
        arguments = json.dumps(call.arguments, ensure_ascii=False, default=str)
        yield f"call {number}: {call.name} {arguments}"
        for tolerance in call.tolerances:
            yield f"    {'lossy' if tolerance.lossy else 'lossless'}: {tolerance.name}"
    if reading.answer is not None:
        yield f"answer: {reading.answer}"
    if reading.reasoning:
        yield f"reasoning: {reading.reasoning}"
    for problem in reading.problems:
        yield f"problem ({problem.code}): {problem.message} {problem.hint}".rstrip()
    if reading.invented is not None:
        yield f"invented: {reading.invented.end - reading.invented.start} characters behind the model's own observation"
    if reading.truncated:
        yield "truncated: the reply was cut by a limit"
    if not reading.calls:
        yield f"no call: {_why_no_call(text, reading)}"


def _why_no_call(text: str, reading: Reading) -> str:
    if not text.strip():
        return "the reply is empty"
    if reading.problems:
        return "a step was begun but not completed; see the problems"
    if reading.dialect.startswith(("react", "toolllama")):
        return "the reply gives a final answer"
    return "no label, no marker and no object that names a tool on offer: the text is the answer"
