"""Labelled steps with the habits that most models have, read in one go.

Bold labels, words before the step, a name in backticks or in other letters, a fence around the input, an object that
is nearly JSON, an observation behind: one of them is in most replies that are not clean. As in
``react_engine.parsers.clean``, in any doubt the reply is left to the long way, which gives the same reading.
"""

from __future__ import annotations

import re

from react_engine.parsers.dialects.record import CALM, PLAIN
from react_engine.parsers.index import KnownTool, ToolIndex
from react_engine.parsers.labels import has_label
from react_engine.parsers.literals import read_strict
from react_engine.parsers.markup import markup
from react_engine.parsers.near_json import read_near_json
from react_engine.parsers.settle import fits_as_written, plainly
from react_engine.types import Arguments, Reading, Span, Tolerance, ToolCall

_LEAD = re.compile(
    rf"(?:(?P<label>Thought:|\*\*Thought(?::\*\*|\*\*:)[ ])(?P<thought>{PLAIN}*+)|(?=[^\W\d_])(?P<before>{PLAIN}*+))\Z"
)
_CALM_WORDS = re.compile(rf"(?!all\s)(?:Thought:)?{CALM}*+\Z")
_STEP = re.compile(
    r"""(?:\A|\n)(?P<action>Action:|\*\*Action(?::\*\*|\*\*:)(?=[ ]))(?:[ ]|(?=\w))(?P<line>[`"]?\w[\w.-]{0,63}(?:[ ]\w{1,30}){0,4}[`"]?)
    \n(?P<input>Action[ ]Input:|\*\*Action[ ]Input(?::\*\*|\*\*:)(?=[ ]))(?:[ \n]++(?P<fence>```(?:json)?\n\s*+)?)?(?=\{)""",
    re.VERBOSE,
)
_TAIL = re.compile(rf"\s*+(?P<fence>```\s*+)?(?:(?<=\n)(?P<observation>Observation:(?P<made_up>{PLAIN}*+)))?\Z")
_MEANS_MORE = re.compile(r"[?(]|all\s")


def read_usual_step(text: str, index: ToolIndex, dialect: str) -> Reading | None:
    """The reading of such a step, named as ``dialect``; None for any other reply."""
    step = _STEP.search(text)
    if step is None:
        return None
    start = step.start("action")
    lead = _LEAD.match(text, 0, start) if start else None
    if start and (lead is None or _is_more(text, lead, start)):
        return None
    name = index.resolve(step["line"].strip())
    tool = index.tools.get(name.name) if name.kind == "known" else None
    tail = _TAIL.match(text, text.rfind("}") + 1) if tool is not None else None
    if tool is None or tail is None or bool(step["fence"]) != bool(tail["fence"]):
        return None
    end = tail.start("observation") if tail["observation"] else len(text)
    read = _arguments(text, step.end(), tail.start(), tool)
    if read is None:
        return None
    arguments, written = read
    span = Span(start, end)
    labels = ("action", "input")
    habits = [Tolerance("decorated-label", Span(*step.span(x))) for x in labels if text[step.start(x)] == "*"]
    if name.tolerance is not None:
        habits.append(Tolerance(name.tolerance, span, name.lossy))
    call = ToolCall(tool.name, arguments, "", text[start:end], span, dialect, (*habits, *written))
    thought = (lead["thought"] or lead["before"]).strip() if lead is not None else ""
    invented = Span(end, len(text)) if (tail["made_up"] or "").strip() else None
    return Reading((call,), reasoning=thought or None, invented=invented, dialect=dialect)


def _is_more(text: str, lead: re.Match[str], end: int) -> bool:
    """Whether the words before a step could be more than words."""
    if _CALM_WORDS.match(text, 0, end) is not None and not markup().has_calm_marker(text):
        return False
    start = lead.end("label") if lead["label"] else 0
    return (
        markup().words.search(text, 0, end) is not None
        or has_label(text, start, end)
        or (not lead["label"] and _MEANS_MORE.search(text, 0, end) is not None)
    )


def _arguments(text: str, start: int, end: int, tool: KnownTool) -> tuple[Arguments, tuple[Tolerance, ...]] | None:
    """The object that is all of ``text[start:end]``, if it fits, and what was tolerated in it."""
    if text.find("<", start, end) != -1 or text.find("[", start, end) != -1:
        return None
    read = read_strict(text, start, end)
    if read is not None:
        return (read.value, ()) if read.end == end and fits_as_written(read.value, tool) else None
    read = read_near_json(text, start, end)
    arguments = plainly(read.value, tool) if read is not None and read.end == end else None
    return (arguments, read.tolerances) if read is not None and arguments is not None else None
