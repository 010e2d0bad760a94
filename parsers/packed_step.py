"""Steps in the form of JSON behind a label, fenced or not."""

from __future__ import annotations

import re
from itertools import islice

from react_engine.parsers.draft import Draft
from react_engine.parsers.fences import fenced_body
from react_engine.parsers.labels import Label
from react_engine.parsers.literals import Value, read_value, read_values, skip_blanks
from react_engine.parsers.objects import AnswerIntent, CallIntent, intents
from react_engine.types import Span, Tolerance

ECHO = re.compile(
    r"(?<![^\s\"'`:=,\[{])\$\{?[A-Z_]{2,40}\}?(?=[\"'`\s,}\]]|$)|\{\{?\s*tool_names?\s*\}?\}|the action to take|should be one of"
)
"""Words of the prompt's format description that came back."""
OPENERS = "{[｛［"
"""What a step in JSON begins with."""
_FENCE_END = re.compile(r"\s*+`{3,}")
_FENCE_BEGIN = re.compile(r"`{3,}[\w]*\s*")


def is_packed(text: str, start: int, end: int) -> bool:
    """Whether an object, a list or a fence stands at ``start``."""
    return text[start] in OPENERS or fenced_body(text, start, end) is not None or text.startswith("```", start)


def read_packed(draft: Draft, start: int, end: int) -> bool:
    """A step in the form of JSON, fenced or not. False if it is none."""
    start = skip_blanks(draft.raw, start, end)
    outer = Span(start, end)
    if (fence := fenced_body(draft.raw, start, end)) is not None:
        start, end = skip_blanks(draft.raw, fence.start, fence.end), fence.end
    elif (opener := _FENCE_BEGIN.match(draft.raw, start, end)) is not None:
        start = opener.end()
    if start >= end:
        return False
    read = read_value(draft.raw, start, end, closed=not draft.cut) if draft.raw[start] in OPENERS else None
    if (read is None or not _calls_tool(draft, read)) and ECHO.search(draft.raw[start : min(end, start + 400)]):
        draft.echo(outer)
        return True
    if read is None:
        return False
    if read.error is not None or (draft.cut and (not read.complete or read.guessed)):
        code = "truncated" if draft.cut else "malformed-arguments"
        found = read.error[1] if read.error else "an open bracket"
        draft.problem(code, f"The step could not be read: found {found}.", "Write it as one JSON object.", outer)
        return True
    if not _meant(draft, read.value, Span(start, read.end), read.tolerances):
        return False
    used = read.end
    for begin, further in islice(read_values(draft.raw, start, end, closed=not draft.cut), 1, None):
        whole = further.complete and not (draft.cut and further.guessed)
        if not whole or not _calls_tool(draft, further) or draft.is_full():
            draft.truncated = draft.truncated or not whole
            break
        _meant(draft, further.value, Span(begin, further.end), further.tolerances)
        used = further.end
    behind = draft.raw[_behind_fence(draft.raw, used, outer.end) : outer.end].strip()
    if behind and not draft.calls and draft.answer is None and not draft.problems:
        draft.answer = behind  # "directly answer": what stands behind is the answer
        draft.visible.append(behind)
    return True


def _calls_tool(draft: Draft, read: Value) -> bool:
    """Whether a value is a step that calls a tool on offer."""
    if read.error is not None:
        return False
    found = (item for item in intents(read.value, draft.index) if isinstance(item, CallIntent))
    return any(draft.index.resolve(item.name).kind == "known" for item in found)


def _behind_fence(text: str, position: int, end: int) -> int:
    match = _FENCE_END.match(text, position, end)
    return match.end() if match else position


def _meant(draft: Draft, value: object, span: Span, tolerances: tuple[Tolerance, ...]) -> bool:
    found = intents(value, draft.index)
    for intent in found:
        if draft.is_full():
            break
        if intent.thought:
            draft.think(intent.thought)
        if isinstance(intent, AnswerIntent):
            if not draft.calls:
                draft.answer = intent.text.strip()
                draft.visible.append(draft.answer)
            break
        if isinstance(intent, CallIntent):
            known = draft.index.resolve(intent.name).kind == "known"
            structured = isinstance(intent.arguments, dict)
            draft.call_from(intent, span, marked=known or structured, extra=tolerances)
    return bool(found)


def call_behind_answer_label(draft: Draft, label: Label, start: int, end: int) -> bool:
    """A call object behind the wrong label."""
    start = skip_blanks(draft.raw, start, end)
    if label.word.lower().startswith("final") or start >= end or draft.raw[start] not in OPENERS:
        return False
    read = read_value(draft.raw, start, end, closed=not draft.cut)
    if read.error or not read.complete or draft.raw[read.end : end].strip():
        return False
    found = [item for item in intents(read.value, draft.index) if isinstance(item, CallIntent)]
    if not found or any(draft.index.resolve(item.name).kind != "known" for item in found):
        return False
    span = Span(start, read.end)
    extra = (Tolerance("call-behind-answer-label", label.span, lossy=True), *read.tolerances)
    return all(draft.call_from(item, span, marked=False, extra=extra) for item in found)
