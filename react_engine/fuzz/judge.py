"""What became of a case: read as meant, refused, or worse."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from react_engine.fuzz.cases import Case
from react_engine.fuzz.meaning import Call, Survival


class Outcome(StrEnum):
    """How one case ended, best first.

    - ``right``: read or refused as it should be.
    - ``text``: the calls are right, the answer that people see is not.
    - ``missed``: calls were there, and none was read.
    - ``partial``: some of the calls were read, unchanged, others were not.
    - ``wrong``: other calls than those meant.
    - ``invented``: calls, where there are none.
    - ``broken``: a contract does not hold: spans, or a stream that reads differently.
    - ``crash``: an exception.
    - ``timeout``: not done in time.
    """

    RIGHT = "right"
    TEXT = "text"
    MISSED = "missed"
    PARTIAL = "partial"
    WRONG = "wrong"
    INVENTED = "invented"
    BROKEN = "broken"
    CRASH = "crash"
    TIMEOUT = "timeout"


FAILURES = frozenset(Outcome) - {Outcome.RIGHT}
WORST = frozenset({Outcome.WRONG, Outcome.INVENTED, Outcome.BROKEN, Outcome.CRASH, Outcome.TIMEOUT})
"""What a reader must never do."""


@dataclass(frozen=True, slots=True)
class Read:
    """What a parser made of a reply. ``error`` is what it died of, ``violation`` what its reading violates."""

    calls: tuple[Call, ...] = ()
    answer: str | None = None
    seconds: float = 0.0
    error: str = ""
    violation: str = ""
    timeout: bool = False


def judge(case: Case, read: Read) -> Outcome:
    """How a reading compares with the truth."""
    if read.timeout or read.error or read.violation:
        return Outcome.TIMEOUT if read.timeout else Outcome.CRASH if read.error else Outcome.BROKEN
    if case.survival in (None, Survival.FREE):
        return Outcome.RIGHT
    if case.survival is Survival.REFUSE:
        if read.calls:
            return Outcome.INVENTED
        wanted = case.answer
        return Outcome.TEXT if wanted is not None and fold(read.answer) != fold(wanted) else Outcome.RIGHT
    return _calls(case, read)


def _calls(case: Case, read: Read) -> Outcome:
    either, calls = case.survival is Survival.EITHER, read.calls
    if either:  # a name that is not on offer is a refusal: the engine reports it, and runs nothing
        offered = {tool["name"] for tool in case.tools}
        calls = tuple(call for call in calls if call.name in offered)
    if equal_calls(calls, case.calls):
        return Outcome.RIGHT
    if not calls:
        return Outcome.RIGHT if either else Outcome.MISSED
    if _is_part(calls, case.calls):
        return Outcome.RIGHT if either else Outcome.PARTIAL
    return Outcome.WRONG


def equal_calls(left: Sequence[Call], right: Sequence[Call]) -> bool:
    """Whether two lists of calls are the same: 1 is 1.0, and true is not 1."""
    return len(left) == len(right) and all(
        a.name == b.name and equal(a.arguments, b.arguments) for a, b in zip(left, right, strict=True)
    )


def equal(left: Any, right: Any) -> bool:
    """Whether two JSON values are the same."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(value, right[key]) for key, value in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    return bool(left == right)


def _is_part(read: Sequence[Call], meant: Sequence[Call]) -> bool:
    """Whether the calls read are among those meant, in their order."""
    rest = iter(meant)
    return all(any(equal_calls([call], [other]) for other in rest) for call in read)


def fold(text: str | None) -> str:
    """A text without differences in blanks."""
    return re.sub(r"\s+", " ", text or "").strip()
