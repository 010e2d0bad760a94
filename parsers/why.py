"""Why a reply holds no call, and what in it comes near to one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from itertools import islice
from typing import Any

from react_engine.labels import Field
from react_engine.parsers.fences import find_fences
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.labels import find_labels
from react_engine.parsers.layout import Places
from react_engine.parsers.reader import read
from react_engine.types import Reading, Span

_MOST = 5  # near misses of one sort
_NAMED = re.compile(r'"(?:name|tool|tool_name|function|action)"\s{0,20}:\s{0,20}"([^"\n]{1,80})"')
_MARKUP = re.compile(r"</?\|?\w{0,20}(?:tool|function|invoke|call|action)\w{0,20}[^<>\n]{0,40}>", re.IGNORECASE)


def why_no_call(text: str, reading: Reading, tools: Iterable[Any] | ToolIndex = ()) -> Iterator[str]:
    """The reason first, then a sentence for each thing that comes near to a call.

    What comes near is found by reading it on its own: where it would be a call but for its place, or for a name
    that none of ``tools`` has, the sentence says so.
    """
    index = tools if isinstance(tools, ToolIndex) else ToolIndex(tools)
    place = Places(text)
    yield _reason(text, reading, place)
    near = [*_misplaced(text, reading, index, place), *_objects(text, index, place)]
    yield from near
    if not near and not reading.problems:
        yield from _mentions(text, index, place)


def _reason(text: str, reading: Reading, place: Places) -> str:
    if not text.strip():
        return "the reply is empty"
    if reading.problems:
        problem = reading.problems[0]
        if problem.code == "empty":
            return "the reply holds nothing but white space and control tokens"
        return f"what was begun cannot be used: {problem.message}"
    if reading.answer is None:
        return "nothing in the text is a call or an answer"
    for label in find_labels(text, 0, len(text)):
        if label.field is Field.ANSWER:
            return f"the reply gives its answer, behind {label.word!r} at {place(label.start)}"
    return "no label such as 'Action:' begins a line, no marker and no object makes a call: the text is the answer"


def _misplaced(text: str, reading: Reading, index: ToolIndex, place: Places) -> Iterator[str]:
    """What would be a call in another place."""
    if reading.reasoning and (names := _called(reading.reasoning, index)):
        yield (
            f"the reasoning holds a call of {names}: reasoning is no action (a model that calls from there needs "
            "calls_in_reasoning = true)"
        )
    for tolerance in reading.tolerances:
        if tolerance.name == "text-after-answer" and (names := _called(_at(text, tolerance.span), index)):
            where = place(tolerance.span.start)
            yield f"behind the answer, at {where}, stands a call of {names}: an answer ends the reply"
    if reading.invented is not None:
        _, _, behind = _at(text, reading.invented).partition("\n")
        if names := _called(behind, index):
            where = place(reading.invented.start)
            yield f"behind the observation that the model made up, at {where}, stands a call of {names}"
    for fence in find_fences(text, 0, len(text))[:_MOST]:
        if names := _called(text[fence.start : fence.end], index):
            where = place(fence.outer_start)
            yield f"the code block at {where} holds a call of {names}: in its place it is taken for a quotation"


def _called(text: str, index: ToolIndex) -> str:
    """The names of the calls that a text on its own would be."""
    reading = read(text, index)
    return " and ".join(dict.fromkeys(call.name for call in reading.calls[:_MOST]))


def _objects(text: str, index: ToolIndex, place: Places) -> Iterator[str]:
    """Objects that would be calls, were there such a tool or did they stand alone."""
    for match in islice(_NAMED.finditer(text), _MOST):
        name, start = match[1], text.rfind("{", 0, match.start())
        alone = _object_at(text, start)
        if name in index:
            if _called(alone, index):
                yield f"the object at {place(start)} would be a call of {name} if it did not stand amid other text"
        elif index.resolve(name).kind == "unknown" and not index.names.near(name):
            if _called(alone, ToolIndex([*index.tools.values(), {"name": name, "parameters": {}}])):
                close = get_close_matches(name, index.tools, n=3, cutoff=0.5) or list(index.tools)[:10]
                known = f"on offer are {', '.join(close)}" if close else "no tools are on offer"
                yield f"the object at {place(start)} calls {name!r}, which is no tool here: {known}"


def _object_at(text: str, start: int) -> str:
    """The JSON object that begins at an offset, or nothing."""
    try:
        _, end = json.JSONDecoder().raw_decode(text, max(start, 0))
    except (ValueError, RecursionError):
        return ""
    return text[start:end]


def _mentions(text: str, index: ToolIndex, place: Places) -> Iterator[str]:
    """Tools that are named in passing, and markup that looks like that of a call."""
    if markup := _MARKUP.search(text):
        yield f"{markup[0]!r} at {place(markup.start())} looks like call markup, in no form that is read here"
    named = ((name, re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)) for name in index.tools)
    for name, match in [(name, match) for name, match in named if match][:_MOST]:
        yield f"{name} is named at {place(match.start())}, but not in the form of a call"


def _at(text: str, span: Span) -> str:
    return text[span.start : span.end]
