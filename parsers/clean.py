"""Replies that are exactly what was asked for, read in one go.

Most replies are clean, and reading them should cost next to nothing. Each lane here takes a reply only when nothing in
it could mean anything else, and then gives the reading that the long way gives; in any doubt it leaves it alone.
"""

from __future__ import annotations

import re

from react_engine.parsers import marked, python_text
from react_engine.parsers.arguments import as_written
from react_engine.parsers.dialects import dialect_of
from react_engine.parsers.draft import Draft
from react_engine.parsers.labels import has_label
from react_engine.parsers.literals import Value, read_strict, skip_blanks
from react_engine.parsers.markup import markup
from react_engine.parsers.openers import find_openers
from react_engine.parsers.python_body import CALL
from react_engine.parsers.settle import fits_as_written, holds_placeholder
from react_engine.types import Reading, Span, ToolCall

_PLAIN = r"[^<>\[\]{}`~*\\｜|✿◁▷｛｝【】]"
"""Characters that no marker but a word begins or ends with."""
_STEP = re.compile(
    rf"\s*+(?:Thought:(?P<thought>{_PLAIN}*?)\n\s*+)?(?P<action>Action: ?(?P<name>[\w.-]{{1,128}})\s*\n)Action Input: ?(?=\{{)"
)
_ANSWER = re.compile(rf"\s*+(?:Thought:(?P<thought>{_PLAIN}*?)\n\s*+)?Final Answer:(?P<answer>{_PLAIN}+)\Z")
_TEXT = re.compile(
    rf"(?!\s*+[\u200b-\u200d\u2060\ufeff])(?!\s*+(?:all|tool_code)[ \t]*\r?\n)(?!\s*+analysis[A-Z]){_PLAIN}+\Z"
)
_QUESTION = "need to use a tool?"
_STOP = "\nObservation:"
_KEYS = {"name", "arguments"}
_REACT = dialect_of("labels")


def read_clean(draft: Draft) -> Reading | None:
    """The reading of a clean reply, None for any other."""
    text = draft.raw
    if draft.dialect in ("", _REACT) and (reading := _step(draft) or _answer(draft)) is not None:
        return reading
    if (opener := markup().beginnings.match(text)) is not None:
        return _named_in_json(draft, opener) or _calls(draft, opener)
    if (call := CALL.match(text, skip_blanks(text, 0, len(text)))) is not None:
        return _python(draft) if call["name"] in draft.index.tools else None
    if text and not text.isspace() and _TEXT.match(text) and not _may_mean_more(text, 0):
        shown = text.strip()
        return Reading(answer=shown, text=shown, dialect=draft.dialect)
    return None


def _may_mean_more(text: str, start: int) -> bool:
    """Whether plain characters from ``start`` on hold a label, a marker that is a word, or a question of a format."""
    if markup().words.search(text, start) is not None or has_label(text, start):
        return True
    return "?" in text and _QUESTION in text.lower()


def _step(draft: Draft) -> Reading | None:
    """Thought, Action, Action Input with an object that fits as it stands."""
    text = draft.raw
    step = _STEP.match(text)
    if step is None or (tool := draft.index.tools.get(step["name"])) is None:
        return None
    start, end = step.start("action"), len(text)
    if text.endswith(_STOP):  # the stop word, which the server has left
        end -= len(_STOP) - 1
    arguments = as_written(text, step.end(), len(text[:end].rstrip()), tool)
    if arguments is None or not _is_thought(text, step):
        return None
    call = ToolCall(tool.name, arguments, "", text[start:end], Span(start, end), _REACT)
    return Reading((call,), reasoning=_thought(step), dialect=_REACT)


def _answer(draft: Draft) -> Reading | None:
    """Thought and Final Answer, both in plain characters."""
    text = draft.raw
    step = _ANSWER.match(text)
    if step is None or not _is_thought(text, step) or _may_mean_more(text, step.start("answer")):
        return None
    shown = step["answer"].strip()
    return Reading(answer=shown, text=shown, reasoning=_thought(step), dialect=_REACT) if shown else None


def _is_thought(text: str, step: re.Match[str]) -> bool:
    start, end = step.span("thought")
    if start == -1:
        return True
    return markup().words.search(text, start, end) is None and (
        "\n" not in step["thought"] or not has_label(text, start, end)
    )


def _thought(step: re.Match[str]) -> str | None:
    return (step["thought"] or "").strip() or None


def _named_in_json(draft: Draft, opener: re.Match[str]) -> Reading | None:
    """Objects of a name and arguments that fit as they stand, each between an opener and its closer."""
    text, known = draft.raw, markup()
    owner = known.json_owner(opener[0].strip(), draft.dialect)
    if owner is None:
        return None
    calls: list[ToolCall] = []
    start, position, end = opener.end() - len(opener[0].lstrip()), opener.end(), len(text.rstrip())
    while True:
        read = read_strict(text, position, end)
        if read is None or (call := _call(draft, read, start, owner.name)) is None:
            return None
        calls.append(call)
        position = skip_blanks(text, read.end, end)
        closer = known.closer.match(text, position, end)
        position = closer.end() if closer is not None else position
        if position == end:
            return Reading(tuple(calls), dialect=owner.name) if len(text) == end or closer is not None else None
        start = skip_blanks(text, position, end)
        if closer is None or not text.startswith(opener[0].strip(), start):
            return None
        position = start + len(opener[0].strip())


def _call(draft: Draft, read: Value, start: int, dialect: str) -> ToolCall | None:
    """The call that a value is if it has nothing but a tool's name and arguments that fit as they stand."""
    value = read.value
    if type(value) is not dict or value.keys() != _KEYS or draft.raw.find("<", start + 1, read.end) != -1:
        return None
    arguments, name = value["arguments"], value["name"]
    tool = draft.index.tools.get(name) if isinstance(name, str) else None
    if (
        tool is None
        or type(arguments) is not dict
        or not fits_as_written(arguments, tool)
        or holds_placeholder(arguments, draft.raw[start : read.end])
    ):
        return None
    return ToolCall(tool.name, arguments, "", draft.raw[start : read.end], Span(start, read.end), dialect)


def _calls(draft: Draft, opener: re.Match[str]) -> Reading | None:
    """Marked calls, one after the other, with nothing else in the reply."""
    text = draft.raw
    if markup().hazard.search(text, opener.end()) is not None or has_label(text, opener.end()):
        return None
    openers = find_openers(text, 0, len(text), told=draft.dialect)
    probe = Draft(text, draft.index, draft.dialect, cut=False)
    if not openers or not marked.read_marked(probe, 0, len(text), openers):
        return None
    if not probe.calls or probe.problems or probe.tolerances or probe.visible or probe.invented or probe.answer:
        return None
    return probe.finish()


def _python(draft: Draft) -> Reading | None:
    """Calls in Python's syntax that are the whole reply."""
    text = draft.raw
    if (
        text.rstrip()[-1:] not in (")", "]")
        or '":' in text
        or markup().hazard.search(text) is not None
        or has_label(text, 0)
        or _QUESTION in text.lower()
    ):
        return None
    probe = Draft(text, draft.index, draft.dialect, cut=False)
    if not python_text.read_whole(probe, 0, len(text)) or probe.problems or probe.tolerances:
        return None
    return probe.finish()
