"""Replies that are exactly what was asked for, read in one go.

Most replies are clean, and reading them should cost next to nothing. Each lane here takes a reply only when nothing in
it could mean anything else, and then gives the reading that the long way gives; in any doubt it leaves it alone.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from react_engine.parsers import marked, python_text
from react_engine.parsers.arguments import as_written
from react_engine.parsers.control import ends_turn
from react_engine.parsers.dialects import dialect_of, frame_of
from react_engine.parsers.dialects.record import CALM, PLAIN
from react_engine.parsers.draft import Draft
from react_engine.parsers.fences import find_fences
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.labels import has_label
from react_engine.parsers.literals import Value, read_strict, skip_blanks
from react_engine.parsers.markup import markup
from react_engine.parsers.objects import plain_call
from react_engine.parsers.openers import find_openers
from react_engine.parsers.python_body import CALL
from react_engine.parsers.quotations import Quotations
from react_engine.parsers.react import begins_tool_list
from react_engine.parsers.usual_step import read_usual_step
from react_engine.types import Reading, Span, ToolCall

_MARGIN = r"(?:\s*+(?<=\n)\ {0,3}+|\ {0,3}+)"
"""Before a label: what is indented more is a quotation."""
_STEP = re.compile(
    rf"""{_MARGIN}(?:Thought:(?P<thought>{PLAIN}*?)\n{_MARGIN})?(?:
    (?P<action>Action:\ ?(?P<name>[\w.-]{{1,128}})\s*\n)Action\ Input:\ ?(?=\{{)
    | Final\ Answer:(?P<answer>{PLAIN}+)\Z
    | Action:(?P<packed>\s++)(?P<fence>```(?:json)?\s++)?(?=[{{\[])
    )""",
    re.VERBOSE,
)
_ANSWER = re.compile(rf"Thought:(?P<thought>(?:(?!\n){CALM})*+)\n++Final Answer:(?P<answer>{CALM}++)\Z")
"""A thought and an answer in which nothing can be more than text, but for markers that are plain words."""
_TEXT = re.compile(
    rf"(?!\s*+[\u200b-\u200d\u2060\ufeff])(?!\s*+(?:all|tool_code)[ \t]*\r?\n)(?!\s*+analysis[A-Z]){PLAIN}+\Z"
)
_CODE = re.compile(r"\s*+```tool_code\n")
_FENCE_END = re.compile(r"\s*+```\s*+")
_QUESTION = "need to use a tool?"
_STOP, _END_ACTION = "\nObservation:", "\nEnd Action"
_REACT = dialect_of("labels")


def read_answer(text: str, told: str) -> Reading | None:
    """The reading of a plain answer behind its labels: what most runs end with."""
    step = _ANSWER.match(text)
    if step is None or (told and frame_of(told) != "labels") or markup().has_calm_marker(text):
        return None
    thought, answer = step.groups()
    shown = answer.strip()
    return Reading((), shown, shown, thought.strip() or None, dialect=told or _REACT) if shown else None


class Reply(NamedTuple):
    """A whole reply, the tools on offer, and the dialect that was told, if any."""

    raw: str
    tools: ToolIndex
    dialect: str = ""

    def draft(self, dialect: str = "") -> Draft:
        """An empty draft of its reading."""
        return Draft(self.raw, self.tools, dialect or self.dialect, cut=False)


def read_clean(reply: Reply) -> Reading | None:
    """The reading of a clean reply, None for any other."""
    text = reply.raw
    if (step := _STEP.match(text)) is not None and (not reply.dialect or frame_of(reply.dialect) == "labels"):
        if (clean := _labelled(reply, step)) is not None:
            return clean
    if "Action Input:" in text or "Action Input**:" in text:
        named = not reply.dialect or frame_of(reply.dialect) == "labels"
        return read_usual_step(text, reply.tools, reply.dialect or _REACT) if named else None
    if (opener := markup().beginnings.match(text)) is not None:
        return _named_in_json(reply, opener) or _calls(reply, opener)
    if (call := CALL.match(text, skip_blanks(text, 0, len(text)))) is not None:
        return _python(reply) if call["name"] in reply.tools.tools else None
    if text and not text.isspace() and _TEXT.match(text) and not _may_mean_more(text, 0):
        shown = text.strip()
        return Reading(answer=shown, text=shown, dialect=reply.dialect)
    return _tool_code(reply) if _CODE.match(text) else None


def _may_mean_more(text: str, start: int) -> bool:
    """Whether plain characters from ``start`` on hold a label, a marker that is a word, or a question of a format."""
    if markup().words.search(text, start) is not None or has_label(text, start):
        return True
    return "?" in text and _QUESTION in text.lower()


def _labelled(reply: Reply, step: re.Match[str]) -> Reading | None:
    """A step behind labels, whose thought is plain text."""
    text, thought = reply.raw, step["thought"]
    if thought is not None and markup().words.search(text, *step.span("thought")) is not None:
        return None
    if thought is not None and "\n" in thought and has_label(text, *step.span("thought")):
        return None
    thought = (thought or "").strip() or None
    if step["name"] is not None:
        return _step(reply, step, thought)
    if step["packed"] is not None:
        return _packed_step(reply, step, thought)
    shown = step["answer"].strip()
    if not shown or _may_mean_more(text, step.start("answer")):
        return None
    return Reading(answer=shown, text=shown, reasoning=thought, dialect=reply.dialect or _REACT)


def _step(reply: Reply, step: re.Match[str], thought: str | None) -> Reading | None:
    """Action, Action Input with an object that fits as it stands."""
    text, tool = reply.raw, reply.tools.tools.get(step["name"])
    if tool is None:
        return None
    start, end = step.start("action"), _before_stop(text)
    stop = end - len(_END_ACTION) if text.endswith(_END_ACTION) else end
    arguments = as_written(text, step.end(), len(text[:stop].rstrip()), tool)
    if arguments is None:
        return None
    dialect = reply.dialect or _REACT
    return Reading(
        (ToolCall(tool.name, arguments, "", text[start:end], Span(start, end), dialect),),
        reasoning=thought,
        dialect=dialect,
    )


def _before_stop(text: str) -> int:
    """Where the text ends, before a stop word that the server has left."""
    return len(text) - len(_STOP) + 1 if text.endswith(_STOP) else len(text)


def _packed_step(reply: Reply, step: re.Match[str], thought: str | None) -> Reading | None:
    """An object with name and arguments behind the label of an action, or a list of them."""
    text, end = reply.raw, _before_stop(reply.raw)
    read = read_strict(text, step.end(), end)
    if read is None:
        return None
    closing = _FENCE_END.match(text, read.end, end) if step["fence"] else None
    if (closing.end() if closing else skip_blanks(text, read.end, end)) != end or bool(step["fence"]) != bool(closing):
        return None
    listed = thought is None and begins_tool_list(text, step.start("packed"), end)
    dialect = dialect_of("labels", "listed") if listed else reply.dialect or _REACT
    probe = reply.draft(dialect)
    if thought is not None:
        probe.thoughts.append(thought)
    return probe.finish() if _take_calls(probe, read, step.end(), step.end()) else None


def _take_calls(draft: Draft, read: Value, begin: int, start: int) -> bool:
    """Add the calls that a value from ``begin`` on means if it holds nothing else. Their text begins at ``start``."""
    if draft.raw.find("<", begin, read.end) != -1 or draft.raw.find("[", begin + 1, read.end) != -1:
        return False
    for item in read.value if type(read.value) is list else (read.value,):
        intent = plain_call(item, draft.index) if type(item) is dict else None
        if intent is None or not draft.call_from(intent, Span(start, read.end), marked=True):
            return False
    return bool(draft.calls) and not draft.problems


def _named_in_json(reply: Reply, opener: re.Match[str]) -> Reading | None:
    """Objects of a name and arguments, each between an opener and its closer."""
    text, known = reply.raw, markup()
    position, end = skip_blanks(text, opener.end(), len(text)), len(text.rstrip())
    if position >= end or text[position] not in "{[":
        return None
    owner = known.json_owner(opener[0].strip(), reply.dialect)
    if owner is None:
        return None
    probe = reply.draft(reply.dialect or owner.name)
    start = opener.end() - len(opener[0].lstrip())
    while True:
        read = read_strict(text, position, end)
        if read is None or not _take_calls(probe, read, position, start):
            return None
        position = skip_blanks(text, read.end, end)
        closer = known.closer.match(text, position, end)
        position = closer.end() if closer is not None else position
        if position == end:
            return probe.finish() if len(text) == end or closer is not None else None
        start = skip_blanks(text, position, end)
        if closer is None or not text.startswith(opener[0].strip(), start):
            return None
        position = start + len(opener[0].strip())


def _calls(reply: Reply, opener: re.Match[str]) -> Reading | None:
    """Marked calls from the beginning of the reply on."""
    text, end = reply.raw, len(reply.raw)
    hazard = markup().hazard.search(text, opener.end())
    if hazard is not None:
        if not ends_turn(text, hazard.start()):
            return None
        end = hazard.start()
    fences = find_fences(text, 0, end) if "```" in text or "~~~" in text else ()
    hidden = Quotations((fence.outer_start, fence.outer_end) for fence in fences if fence.closed)
    openers = find_openers(text, 0, end, hidden, reply.dialect)
    probe = reply.draft()
    if not openers or has_label(text, opener.end(), openers[0].start):
        return None  # labels behind the first call do not count
    return probe.finish() if marked.read_marked(probe, 0, end, openers, results=False) else None


def _python(reply: Reply) -> Reading | None:
    """Calls in Python's syntax that are the whole reply."""
    text = reply.raw
    if text.rstrip()[-1:] not in (")", "]") or '":' in text or "```" in text or "~~~" in text or _is_more(text):
        return None
    probe = reply.draft()
    if not python_text.read_whole(probe, 0, len(text)) or probe.problems or probe.tolerances:
        return None
    return probe.finish()


def _tool_code(reply: Reply) -> Reading | None:
    """Calls in Python's syntax in a fence that is the whole reply."""
    text = reply.raw
    fences = find_fences(text, 0, len(text))
    if len(fences) != 1 or not fences[0].closed or text[fences[0].outer_end :].strip() or _is_more(text):
        return None
    probe = reply.draft()
    if not python_text.read_code_fences(probe, 0, len(text), fences) or probe.problems or probe.tolerances:
        return None
    return probe.finish()


def _is_more(text: str) -> bool:
    """Whether anything in Python code could be more than calls."""
    return markup().hazard.search(text) is not None or has_label(text, 0) or _QUESTION in text.lower()
