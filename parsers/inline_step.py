"""A step inside its thought: labels in the middle of a sentence, or an object at the end."""

from __future__ import annotations

import re

from react_engine.parsers import bare
from react_engine.parsers.control import strip_end_tokens
from react_engine.parsers.cues import announces_sample
from react_engine.parsers.dialects import dialect_of
from react_engine.parsers.draft import Draft
from react_engine.parsers.fences import find_fences
from react_engine.parsers.regions import Region
from react_engine.types import Span, Tolerance

_INLINE_STEP = re.compile(
    r"(?<=[.!?。！？… \t])[*_]{0,3}Action[*_]{0,3}[ \t]*:[ \t]*(?P<name>[^\n:]{1,80}?)[ \t,;.]+"
    r"[*_]{0,3}Action Input[*_]{0,3}[ \t]*:[ \t]*(?=\{)"
)
_INLINE_ANSWER = re.compile(r"(?<=[.!?。！？])\s+[*_]{0,3}Final Answer[*_]{0,3}\s*:")


def read_inline_step(draft: Draft, start: int, end: int) -> bool:
    """Whether the thought in ``draft.raw[start:end]`` ends in an action with its input, or in an answer."""
    content = draft.raw[start:end]
    if (step := _INLINE_STEP.search(content)) is not None:
        name = draft.index.resolve(step["name"])
        region = Region(draft.raw, start + step.end(), end, cut=draft.cut, delimited=False)
        if name.kind == "known" and (read := draft.arguments(region, name)).problem is None:
            draft.think(content[: step.start()])
            span = Span(start + step.start(), end)
            draft.call(name, span, read, [Tolerance("one-line-step", span)])
            return True
    if (answer := _INLINE_ANSWER.search(content)) is not None and (text := content[answer.end() :].strip()):
        draft.think(content[: answer.start() + 1])
        draft.answer = strip_end_tokens(text).strip()
        draft.visible.append(draft.answer)
        draft.truncated = draft.truncated or draft.cut
        return True
    return False


def read_closing_object(draft: Draft, start: int, end: int) -> bool:
    """Whether the thought in ``draft.raw[start:end]`` ends in a step in JSON, in a fence or on lines of its own."""
    text = draft.raw
    end = start + len(text[start:end].rstrip())
    probe = draft.probe(dialect_of("labels", "stepped"))
    fences = find_fences(text, start, end)
    if fences and fences[-1].outer_end >= end and fences[-1].closed:
        begin = fences[-1].outer_start
        if announces_sample(text, start, begin) or not bare.read_object(probe, fences[-1].start, fences[-1].end):
            return False
    elif fences or not bare.read_last_object(probe, start, end):
        return False
    else:
        begin = start
        probe.think("\n".join(probe.visible))
        probe.visible.clear()
    if probe.answer is None and not probe.calls:
        return False
    draft.think(text[start:begin])
    draft.absorb(probe)
    draft.dialect = draft.dialect or probe.dialect
    return True
