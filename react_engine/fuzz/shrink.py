"""Makes a failing reply as short as it can be while it fails in the same way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from react_engine.fuzz.cases import Case
from react_engine.fuzz.judge import Outcome, judge
from react_engine.fuzz.meaning import Survival
from react_engine.fuzz.parsers import Parser

_PATIENCE = 2.0
_TRIES = 2000


def shrunk(case: Case, parser: Parser, outcome: Outcome) -> Case:
    """The case with as little text as still gives the outcome, after some two seconds at most.

    Only what does not depend on the whole text is shortened: crashes, broken contracts and timeouts, and calls that
    were invented (where there is none in a text, there is none in a piece of it that is prose). For a wrong or a
    missed call the text is the truth, so it stays; only tools that play no part go.
    """
    deadline = time.monotonic() + _PATIENCE
    tries = iter(range(_TRIES))

    def fails(candidate: Case) -> bool:
        return judge(candidate, parser(candidate)) is outcome

    def allowed() -> bool:
        return next(tries, None) is not None and time.monotonic() < deadline

    case = _fewer_tools(case, fails, allowed)
    if outcome in (Outcome.CRASH, Outcome.BROKEN, Outcome.TIMEOUT):
        free = replace(case, survival=Survival.FREE, calls=(), answer=None)
        if fails(free):
            return replace(free, text=_shorter(free, fails, allowed))
    return case


def _fewer_tools(case: Case, fails: Callable[[Case], bool], allowed: Callable[[], bool]) -> Case:
    for tool in list(case.tools):
        without = [other for other in case.tools if other is not tool]
        candidate = replace(case, tools=without)
        meant = any(call.name == tool["name"] for call in case.calls)
        if not meant and allowed() and fails(candidate):
            case = candidate
    return case


def _shorter(case: Case, fails: Callable[[Case], bool], allowed: Callable[[], bool]) -> str:
    """Delta debugging: pieces are left out, halves first, then ever smaller ones."""
    text = case.text
    size = max(1, len(text) // 2)
    while size:
        changed = True
        while changed and allowed():
            changed = False
            for start, end in _pieces(len(text), size):
                candidate = text[:start] + text[end:]
                if allowed() and fails(replace(case, text=candidate)):
                    text, changed = candidate, True
                    break
        size //= 2
    return text


def _pieces(length: int, size: int) -> Iterator[tuple[int, int]]:
    for start in range(0, length, size):
        yield start, min(length, start + size)
