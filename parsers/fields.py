"""Replies in fields: ``[[ ## next_tool_name ## ]]`` and its kin, each behind a line of its own."""

from __future__ import annotations

import re

from react_engine.parsers.dialects import dialect_of
from react_engine.parsers.draft import Draft
from react_engine.parsers.literals import read_value
from react_engine.parsers.names import fold
from react_engine.parsers.objects import FINAL_NAMES, CallIntent
from react_engine.parsers.regions import Region
from react_engine.types import Span

_FIELD = re.compile(r"^[ \t]*\[\[ ?## ?(\w{1,60}) ?## ?\]\][ \t]*$", re.MULTILINE)


def read_fields(draft: Draft, start: int, end: int) -> bool:
    """Whether the reply is written in fields that hold a step; then it is read into ``draft``."""
    text = draft.raw
    marks = list(_FIELD.finditer(text, start, end))
    if not marks:
        return False
    fields = {}
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        fields[mark[1].lower()] = Span(mark.end(), following.start() if following else end)
    name = next((span for key, span in fields.items() if key.endswith("tool_name")), None)
    arguments = next((span for key, span in fields.items() if key.endswith("tool_args")), None)
    for key, span in fields.items():
        if "thought" in key or key == "reasoning":
            draft.think(text[span.start : span.end])
    draft.dialect = draft.dialect or dialect_of("fields")
    if name is None:
        shown = [
            text[span.start : span.end].strip()
            for key, span in fields.items()
            if not ("thought" in key or key in ("reasoning", "completed"))
        ]
        draft.answer = "\n".join(part for part in shown if part) or None
        draft.visible.extend(part for part in shown if part)
        return draft.answer is not None
    if draft.cut and name.end >= end:
        draft.problem("truncated", "The reply was cut off in the tool's name.", "Write the step again.", name)
        return True
    written = text[name.start : name.end].strip().strip("\"'`")
    tool = draft.index.resolve(written)
    if tool.kind != "known" and fold(written) in FINAL_NAMES:
        draft.problem("no-answer", "The step ends the run without an answer.", "Give the answer.", name)
        return True
    if tool.kind != "known":
        value = read_value(text, arguments.start, arguments.end) if arguments else None
        usable = value is not None and value.error is None and isinstance(value.value, dict)
        draft.call_from(
            CallIntent(written, value.value if usable and value else {}), Span(marks[0].start(), end), marked=True
        )
        return True
    last = arguments is None or arguments.end >= end
    region = Region(text, *(arguments or Span(name.end, name.end)), cut=draft.cut and last, delimited=not last)
    draft.call(tool, Span(name.start, arguments.end if arguments else name.end), draft.arguments(region, tool))
    return True
