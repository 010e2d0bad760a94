"""How much a reading may forgive: only the trained form, what is sure (the default), or a last guess as well."""

from __future__ import annotations

from typing import Any, Literal, get_args

from msgspec import structs

from react_engine.errors import ConfigurationError
from react_engine.labels import Field
from react_engine.parsers.dialects import DIALECTS, Dialect
from react_engine.parsers.draft import Draft
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.labels import find_labels
from react_engine.parsers.objects import CallIntent, intents
from react_engine.parsers.openers import find_openers
from react_engine.types import Problem, Reading, Tolerance, ToolCall

Strictness = Literal["strict", "tolerant", "lenient"]

_GUESSED = frozenset({"malformed-arguments", "malformed-call"})
LONGEST_GUESS = 4_000
"""Characters of a broken call that the last guess looks at: the library that makes it is not linear."""
_MOST_BRACKETS = 64


def checked_strictness(strictness: str) -> Strictness:
    """The strictness of that name. Raises ConfigurationError for any other word."""
    known: tuple[Strictness, ...] = get_args(Strictness)
    for level in known:
        if strictness == level:
            return level
    raise ConfigurationError(f"strictness must be one of {', '.join(known)}, not {strictness!r}.")


def only_trained_form(reading: Reading, found: Reading, told: Dialect | None) -> Reading:
    """The reading without calls that needed any tolerance, or that are in another form than that of ``told``.

    ``found`` is what is read with no dialect told: it says in which form the calls are. Each call that is refused
    becomes a problem that names what it deviated in.
    """
    forms = [call.dialect for call in found.calls]
    kept: list[ToolCall] = []
    refused: list[Problem] = []
    for number, call in enumerate(reading.calls):
        names = dict.fromkeys(tolerance.name for tolerance in (*call.tolerances, *reading.tolerances))
        form = forms[number] if number < len(forms) else ""
        if told is not None and not _is_form_of(form, told):
            names.setdefault(f"in the dialect {form or 'json'}")
        if not names:
            kept.append(call)
            continue
        refused.append(
            Problem(
                "not-strict",
                f"The call of {call.name} deviates from the form: {', '.join(names)}.",
                "Write it exactly in the form that was asked for.",
                call.span,
            )
        )
    if not refused:
        return reading
    return structs.replace(reading, calls=tuple(kept), problems=(*reading.problems, *refused))


def _is_form_of(found: str, asked: Dialect) -> bool:
    """Whether calls found in one dialect may be those of another: where markers are shared, or where there are none."""
    record = DIALECTS.get(found)
    if record is None:
        return asked.frame == "object"
    if record is asked or record.frame != asked.frame:
        return record is asked
    return record.frame != "marked" or not set(record.openers).isdisjoint(asked.openers)


def with_guesses(reading: Reading, text: str, index: ToolIndex) -> Reading:
    """The reading with calls that a repair library makes of what could not be read, each marked as lossy.

    Only what was recognised as a call is tried, and only up to ``LONGEST_GUESS`` characters of it.
    """
    calls, left = list(reading.calls), []
    for problem in reading.problems:
        guessed = _guess(problem, text, index) if problem.code in _GUESSED and problem.span is not None else []
        calls.extend(guessed)
        if not guessed:
            left.append(problem)
    if len(left) == len(reading.problems):
        return reading
    calls.sort(key=lambda call: call.span.start if call.span is not None else 0)
    return structs.replace(reading, calls=tuple(calls), problems=tuple(left), answer=None)


def _guess(problem: Problem, text: str, index: ToolIndex) -> list[ToolCall]:
    span = problem.span
    if span is None or span.end - span.start > LONGEST_GUESS:
        return []
    piece = text[span.start : span.end]
    value = _repaired(piece)
    if value is None:
        return []
    name = _name_before(piece)
    found = [CallIntent(name, value)] if name else [i for i in intents(value, index) if isinstance(i, CallIntent)]
    draft = Draft(text, index, "", cut=False)
    for intent in found:
        if index.resolve(intent.name).kind == "known":
            draft.call_from(intent, span, marked=False, extra=[Tolerance("json-repair", span, lossy=True)])
    return [] if draft.problems else draft.calls


def _repaired(piece: str) -> Any:
    """The object or list that a repair library finds, None for nothing."""
    from json_repair import loads

    starts = [position for position in (piece.find("{"), piece.find("[")) if position != -1]
    if not starts or piece.count("{") + piece.count("[") > _MOST_BRACKETS:
        return None
    try:
        value = loads(piece[min(starts) :])
    except (ValueError, RecursionError):
        return None
    return value if value and isinstance(value, dict | list) else None


def _name_before(piece: str) -> str:
    """The name that stands in the label or the markup of a broken call."""
    actions = [label for label in find_labels(piece, 0, len(piece)) if label.field is Field.ACTION]
    if actions:
        return piece[actions[0].end :].strip().split("\n", 1)[0].strip()
    openers = find_openers(piece, 0, len(piece))
    return openers[0].name if openers else ""
