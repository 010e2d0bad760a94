"""Bodies in Python's call syntax: one call or several, in a list, a line each, in ``print`` or assigned."""

from __future__ import annotations

import re

from react_engine.parsers.body import Body, Frame, behind_closers, cut_off, next_closer, stands_alone
from react_engine.parsers.draft import MOST_CALLS, Draft
from react_engine.parsers.literals import CallArguments, Value, read_call_arguments
from react_engine.parsers.objects import CallIntent
from react_engine.types import Span, Tolerance

CALL = re.compile(
    r"(?P<list>\[\s{0,8})?(?P<print>print\s{0,2}\(\s{0,2})?(?P<kept>[^\W\d]\w{0,40}\s{0,2}=\s{0,2}(?=[^\W\d]))?"
    r"(?P<name>[^\W\d][\w.\-/]{0,127}?)(?P<method>\.call)?\s{0,2}\("
)
_BETWEEN = re.compile(r"[\s,;)\]]*")
_SHOWN = re.compile(r"\s*print\s*\(\s*[^\W\d]\w{0,40}\s*\)")


def read_calls(draft: Draft, start: int, end: int) -> tuple[list[tuple[CallIntent, Value, Span]], int, Value | None]:
    """(the calls from ``start`` on, the offset behind them, what could not be read or None)."""
    text = draft.raw
    found: list[tuple[CallIntent, Value, Span]] = []
    position = start
    while position < end and len(found) < MOST_CALLS:
        match = CALL.match(text, position, end)
        if match is None:
            break
        read = read_call_arguments(text, match.end(), end, closed=False)
        span = Span(match.start("name"), read.end)
        if read.error is not None or not read.complete or not isinstance(read.value, CallArguments):
            return found, position, read
        found.append((CallIntent(match["name"], read.value), read, span))
        between = _BETWEEN.match(text, read.end, end)
        position = between.end() if between else read.end
        if shown := _SHOWN.match(text, position, end):
            position = shown.end()
        while (space := _BETWEEN.match(text, position, end)) and space.end() > position:
            position = space.end()
    return found, position, None


def read(draft: Draft, frame: Frame) -> Body | None:
    """The calls behind a marker."""
    opener, text = frame.opener, draft.raw
    closer = next_closer(draft, opener.body, frame.limit)
    found, position, broken = read_calls(draft, opener.body, frame.end if closer is None else frame.limit)
    known = [draft.index.resolve(intent.name).kind == "known" for intent, _, _ in found]
    if broken is not None:
        head = CALL.match(text, position)
        if not any(known) and (head is None or draft.index.resolve(head["name"]).kind != "known"):
            return None
    elif not any(known) and not all(_by_name(intent) for intent, _, _ in found):
        return None
    for intent, read_arguments, span in found:
        draft.call_from(intent, span, marked=True, extra=tolerances(read_arguments))
    if broken is not None:
        return cut_off(draft, position, broken.end) if broken.error is None else _malformed(draft, broken, position)
    after = behind_closers(text, position, frame.limit)
    if opener.dialect.self_named and not stands_alone(draft, frame, after):
        return None
    return Body(_behind_echo(draft, found, after, frame.limit))


def _by_name(intent: CallIntent) -> bool:
    arguments = intent.arguments
    return isinstance(arguments, CallArguments) and not arguments.positional


def tolerances(read: Value) -> tuple[Tolerance, ...]:
    """What was unusual, but for what is Python's own way of writing."""
    own = ("quotes", "python-literal", "raw-control-character")
    return tuple(tolerance for tolerance in read.tolerances if tolerance.name not in own)


def _malformed(draft: Draft, broken: Value, start: int) -> Body:
    _, what = broken.error or ("", "an open bracket")
    draft.problem(
        broken.problem_code,
        f"The call could not be read: found {what}.",
        "Write name(key=value, …) with values, not variables.",
        Span(start, broken.end),
    )
    return Body(broken.end)


def _behind_echo(draft: Draft, found: list[tuple[CallIntent, Value, Span]], position: int, limit: int) -> int:
    """Behind a repetition of the same calls after their closing marker."""
    if not found or position >= limit:
        return position
    first, last = found[0][2].start, found[-1][2].end
    written = draft.raw[first:last]
    start = position + len(draft.raw[position:limit][:3]) - len(draft.raw[position:limit][:3].lstrip(" \n["))
    if not draft.raw.startswith(written, start, limit):
        return position
    between = _BETWEEN.match(draft.raw, start + len(written), limit)
    after = behind_closers(draft.raw, between.end() if between else start + len(written), limit)
    draft.note("echo", Span(position, after))
    return after
