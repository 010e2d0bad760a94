"""Replies of lines: a tool's name, then its arguments as JSON; more of them behind a separator.

Nothing marks such a call, so it counts only if the whole reply has this form and every name is a tool's.
"""

from __future__ import annotations

import re

from react_engine.parsers.body import behind_closers
from react_engine.parsers.control import strip_end_tokens
from react_engine.parsers.dialects import all_records, dialect_of
from react_engine.parsers.dialects.record import ARGUMENTS
from react_engine.parsers.draft import Draft
from react_engine.parsers.literals import CallArguments, read_call_arguments, read_strict, read_value
from react_engine.parsers.markup import markup
from react_engine.parsers.objects import CallIntent
from react_engine.parsers.settle import object_in
from react_engine.parsers.tokens import behind
from react_engine.types import Span

_NAMED = re.compile(
    r"[`*\"@/]{0,3}(?P<name>[^\W\d][\w.\-/:]{0,127})[`*\"]{0,3}(?:[ \t]{0,4}\r?\n\s{0,8}|[ \t]{0,2}>?[ \t]{0,2})(?P<fence>```\w{0,10}\s{0,4})?"
    rf"(?:{ARGUMENTS}|(?<=\s)tool_call(?P<wrapped>\()(?=\s{{0,8}}(?:\)|[^\W\d]\w{{0,60}}\s{{0,4}}=)))"
)
"""A name with its arguments below it or behind it, in JSON or as those of a function ``tool_call``."""
_SURPLUS = re.compile(r"\s{0,8}[}\]][\s}\]]{0,20}")
_TO_USER = re.compile(r"all[ \t]*\r?\n")
_BLANK = re.compile(r"\s*")
_FENCE_END = re.compile(r"\s*+`{3,8}")


def read_lines(draft: Draft, start: int, end: int, told: str) -> bool:
    """Whether the reply consists of names with JSON; then it is read into ``draft``."""
    text = draft.raw
    known = markup()
    separator, separators = known.separator, known.separators
    position = behind(_BLANK, text, start, end)
    dialect = told or dialect_of("lines")
    visible: list[str] = []
    if (first := separator.match(text, position, end)) is not None:
        position, dialect = first.end(), told or separators.get(first[0].strip(), dialect)
    if (to_user := _TO_USER.match(text, position, end)) is not None:
        stop = _next_message(text, to_user.end(), end, separator)
        visible.append(strip_end_tokens(text[to_user.end() : stop.start() if stop else end]).strip())
        position = stop.end() if stop else end
        dialect = told or dialect_of("lines", "addressed")
        if position >= end:
            draft.visible.extend(visible)
            draft.answer, draft.dialect = "\n".join(visible), dialect
            draft.truncated = draft.truncated or draft.cut
            return bool(visible[0])
    if _NAMED.match(text, position, end) is None:
        return False
    probe = draft.probe(dialect)
    probe.dialect = dialect
    position = _calls(probe, position, end, separator)
    if (position < end and not probe.is_full()) or not (probe.calls or probe.problems):
        return False
    draft.absorb(probe)
    draft.visible[:0] = [part for part in visible if part]
    draft.dialect = dialect
    return True


def _next_message(text: str, start: int, end: int, separator: re.Pattern[str]) -> re.Match[str] | None:
    """The separator behind a text for the user: one with a message behind it, since others may be talked about."""
    for found in separator.finditer(text, start, end):
        if _NAMED.match(text, found.end(), end) or _TO_USER.match(text, found.end(), end):
            return found
    return None


def _behind_surplus(draft: Draft, start: int, stop: int, end: int) -> int:
    """Behind brackets too many, or behind arguments that are written once more, perhaps broken off."""
    text = draft.raw
    if surplus := _SURPLUS.match(text, stop, end):
        draft.note("surplus-closer", Span(stop, surplus.end()))
        return surplus.end()
    written = zip(range(start, stop), range(stop, end), strict=False)
    again = next((at for first, at in written if text[first] != text[at]), min(end, 2 * stop - start))
    if again > stop:
        draft.note("repeated-arguments", Span(stop, again))
    return again


def _has_token_quotes(text: str, start: int, end: int) -> bool:
    """Whether strings stand between tokens of their own: another reader knows those."""
    return "<" in text[start:end] and any(
        record.quote and text.find(record.quote, start, end) != -1 for record in all_records()
    )


def _calls(draft: Draft, position: int, end: int, separator: re.Pattern[str]) -> int:
    """Read one call after the other. Returns where the form ends."""
    text = draft.raw
    while not draft.is_full() and (named := _NAMED.match(text, position, end)) is not None:
        if draft.index.resolve(named["name"]).kind != "known":
            return position
        read = None if named["wrapped"] else read_strict(text, named.end(), end)
        if named["wrapped"]:
            read = read_call_arguments(text, named.end(), end, closed=not draft.cut)
        elif read is None:
            following = separator.search(text, named.end(), end)
            read = read_value(text, named.end(), following.start() if following else end, closed=not draft.cut)
        span = Span(named.start(), read.end)
        nameless = isinstance(read.value, CallArguments) and bool(read.value.positional)
        if (
            read.error is not None
            or nameless
            or object_in(read.value) is None
            or _has_token_quotes(text, named.end(), read.end)
        ):
            return position
        if not read.complete or (draft.cut and read.guessed):
            if not draft.cut:
                return position
            draft.problem("truncated", "The call was cut off.", "Write the whole call again.", Span(named.start(), end))
            return end
        draft.call_from(CallIntent(named["name"], read.value), span, marked=False, extra=read.tolerances)
        position = behind_closers(text, _behind_surplus(draft, named.end(), read.end, end), end)
        if named["fence"]:
            position = behind(_FENCE_END, text, position, end)
        position = behind(_BLANK, text, position, end)
        if (following := separator.match(text, position, end)) is not None:
            position = following.end()
        elif position < end and text.startswith(("</", "<function>"), position):
            close = text.find(">", position, position + 40)
            position = behind(_BLANK, text, close + 1, end) if close != -1 else position
    return position
