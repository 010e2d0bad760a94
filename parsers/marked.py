"""Calls between markers: ``<tool_call>``…``</tool_call>`` and its kin, with JSON inside."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from react_engine.parsers.control import NEXT_TURN
from react_engine.parsers.dialects import DIALECTS, markers
from react_engine.parsers.draft import Draft
from react_engine.parsers.literals import Value, read_strict, read_value, skip_blanks
from react_engine.parsers.objects import AnswerIntent, CallIntent, EchoIntent, intents
from react_engine.types import Span

_OPENING_WORDS, _CLOSING_WORDS, _RESULT_WORDS = markers()
_OPENER = re.compile("|".join(map(re.escape, _OPENING_WORDS)))
_CLOSER = re.compile("|".join(map(re.escape, _CLOSING_WORDS)))
_RESULT = re.compile("|".join(map(re.escape, _RESULT_WORDS)) + "|" + NEXT_TURN.pattern)
_OWNERS = {opener: dialect.name for dialect in reversed(DIALECTS.values()) for opener in dialect.openers}
_PACKAGING = re.compile(r"(?:\s|\\n|```[\w]*\s*|`)*")
_BETWEEN = re.compile(r"[\s,;}\]]*")
_NAME_LINE = re.compile(r"([^\W\d][\w.\-/:]{0,80})\s*\n\s*(?=[{｛])")
_PYTHON_TAG = "<|python_tag|>"


@dataclass(frozen=True, slots=True)
class Opener:
    """An opening marker with something call-like behind it: JSON at ``body``, a ``name`` before it or not."""

    start: int
    body: int
    word: str
    name: str = ""


def find_openers(text: str, start: int, end: int, hidden: Callable[[int], bool]) -> list[Opener]:
    """The markers with JSON behind them that are not hidden in a fence or in reasoning. Linear."""
    found: list[Opener] = []
    for match in _OPENER.finditer(text, start, end):
        body = match.end() - (1 if match[0].endswith("[") and not match[0].startswith("[") else 0)
        packaging = _PACKAGING.match(text, body, end)
        body = packaging.end() if packaging else body
        if (
            body >= end
            or hidden(match.start())
            or _is_indented_sample(text, start, match.start(), end)
            or text.startswith("[TOOL_CALLS]", body)
        ):
            continue
        named = _NAME_LINE.match(text, body, end) if text[body] not in "{[｛" else None
        if named is not None:
            found.append(Opener(match.start(), named.end(), match[0], named[1]))
        elif text[body] in "{[｛":
            found.append(Opener(match.start(), body, match[0]))
    return found


def _is_indented_sample(text: str, start: int, position: int, end: int) -> bool:
    """Whether a marker stands in an indented or quoted block between ordinary paragraphs: it is shown, not meant."""
    line = text.rfind("\n", start, position) + 1
    indent = text[line:position] if line else ""
    if len(indent) > 80 or not (indent.startswith(("    ", "\t", ">")) and not indent.strip(" \t>")):
        return False
    last = text[text.rfind("\n", position, end) + 1 : end] if "\n" in text[position:end] else ""
    return bool(text[start:line].strip()) and bool(last.strip()) and not last.startswith(("    ", "\t", ">", "<"))


def is_empty_block(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` is one block between markers, with nothing call-like in it."""
    opener = _OPENER.match(text, start, end)
    return (
        opener is not None and _CLOSER.fullmatch(text, max(opener.end(), text.rfind("<", start, end)), end) is not None
    )


def find_result(text: str, start: int, end: int) -> int | None:
    """Where, at the start of a line, the model begins to write a result or somebody else's turn."""
    for match in _RESULT.finditer(text, start, end):
        if not text[text.rfind("\n", start, match.start()) + 1 : match.start()].strip():
            return match.start()
    return None


def read_marked(draft: Draft, start: int, end: int, openers: list[Opener]) -> None:
    """Read the calls behind ``openers`` into ``draft``; the rest of ``text[start:end]`` is visible text."""
    text = draft.raw
    invented = _RESULT.search(text, openers[0].body, end)
    position = start
    for number, opener in enumerate(openers):
        if opener.start < position:
            continue  # inside the arguments of the call before
        if invented is not None and invented.start() < opener.start:
            break
        limit = openers[number + 1].start if number + 1 < len(openers) else end
        _visible(draft, position, opener.start)
        position = _frame(draft, opener, limit, end)
        while invented is not None and invented.start() < position:  # a marker inside an argument is data
            invented = _RESULT.search(text, position, end)
    if invented is not None and invented.start() >= position:
        draft.invented = Span(invented.start(), len(text))
        end = invented.start()
    _visible(draft, position, end)


def without_closers(text: str) -> str:
    """The text without closing markers."""
    return _CLOSER.sub("", text)


def _visible(draft: Draft, start: int, end: int) -> None:
    text = without_closers(draft.raw[start:end]).strip()
    if text:
        draft.visible.append(text)


def _frame(draft: Draft, opener: Opener, limit: int, end: int) -> int:
    """The calls of one frame. Returns the offset behind it."""
    draft.dialect = draft.dialect or _OWNERS[opener.word]
    position, found = opener.body, 0
    text = draft.raw
    while position < end and text[position] in "{[｛":
        read, closed = _value(draft, position, limit, end)
        span = Span(opener.start if not found else position, read.end)
        guessed = draft.cut and not closed and any(tolerance.lossy for tolerance in read.tolerances)
        if read.error is not None or not read.complete or guessed:
            _unread(draft, read, Span(opener.start, read.end), closed)
            return max(read.end, _closer_end(text, read.end, limit))
        if opener.name:
            read = replace(read, value={"name": opener.name, "arguments": read.value})
        found += _calls(draft, read, span)
        position = read.end
        if surplus := _BETWEEN.match(text, position, max(position, limit)):
            if "}" in surplus[0] or "]" in surplus[0]:
                draft.note("surplus-closer", Span(position, surplus.end()))
            position = surplus.end()
    return _closer_end(text, position, limit)


def _value(draft: Draft, position: int, limit: int, end: int) -> tuple[Value, bool]:
    """One value: strictly, or tolerantly up to the closing marker. And whether a closing marker was there."""
    strict = read_strict(draft.raw, position, end)
    if strict is not None:  # valid JSON ends where it ends, whatever markers stand in its strings
        return strict, True
    closer = _CLOSER.search(draft.raw, position, limit)
    region_end = closer.start() if closer else limit
    read = read_value(draft.raw, position, region_end, closed=closer is not None or limit < end or not draft.cut)
    if (read.error is not None or not read.complete) and closer is not None:
        # The marker may stand inside a string: the last one before the next call bounds the value then.
        wider = read_value(draft.raw, position, limit, closed=False)
        if wider.error is None and wider.complete:
            return wider, True
    if draft.cut and closer is None and (whole := _whole_but_for_a_brace(draft, position, limit)) is not None:
        return whole, True
    return read, closer is not None


def _whole_but_for_a_brace(draft: Draft, position: int, limit: int) -> Value | None:
    """A call at a cut whose arguments are closed: only its own last brace is missing."""
    if not draft.raw[position:limit].rstrip().endswith("}"):
        return None
    read = read_value(draft.raw, position, limit)
    only_closer = all(tolerance.name == "missing-closer" for tolerance in read.tolerances)
    return read if read.error is None and only_closer and read.depth == 1 and isinstance(read.value, dict) else None


def _calls(draft: Draft, read: Value, span: Span) -> int:
    found = intents(read.value, draft.index)
    for intent in found:
        if isinstance(intent, CallIntent):
            draft.call_from(intent, span, marked=True, extra=read.tolerances)
        elif isinstance(intent, EchoIntent):
            draft.echo(span)
        elif isinstance(intent, AnswerIntent):
            draft.answer = intent.text
            draft.visible.append(intent.text)
    if not found and (read.value not in ([], {}) or read.tolerances):
        draft.problem(
            "malformed-call",
            "The marked call holds no tool name with arguments.",
            'Write {"name": …, "arguments": {…}}.',
            span,
        )
    return len(found)


def _unread(draft: Draft, read: Value, span: Span, closed: bool) -> None:
    if not closed and read.error is None:
        draft.problem("truncated", "The call was cut off.", "Write the whole call again, shorter if need be.", span)
        return
    code, found = read.error or ("malformed-arguments", "an open string")
    known = code if code in ("not-a-number", "too-deep") else "malformed-arguments"
    draft.problem(known, f"The call could not be read: found {found}.", "Write it as one JSON object.", span)


def _closer_end(text: str, position: int, limit: int) -> int:
    """Behind the closing marker, when nothing but packaging stands before it."""
    packaging = _PACKAGING.match(text, position, limit) if position < limit else None
    after = packaging.end() if packaging else position
    closer = _CLOSER.match(text, after, limit) if after < limit else None
    return closer.end() if closer else position


def strip_python_tag(text: str, start: int, end: int) -> int:
    """The offset behind a leading ``<|python_tag|>``."""
    begin = skip_blanks(text, start, end)
    return begin + len(_PYTHON_TAG) if text.startswith(_PYTHON_TAG, begin) else start
