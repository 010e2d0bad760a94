"""Labels in a text: whether they make a step, or are headings of ordinary text."""

from __future__ import annotations

import re
from collections.abc import Callable

from react_engine.labels import Field
from react_engine.parsers import marked
from react_engine.parsers.cues import SENTENCE, acts_now, announces, announces_sample, hands_over, is_text
from react_engine.parsers.dialects import dialect_of, frame_of
from react_engine.parsers.draft import Draft
from react_engine.parsers.fences import STEP_FENCES, Fence
from react_engine.parsers.labels import Label, find_labels, step_labels
from react_engine.parsers.markup import markup
from react_engine.parsers.names import head_of
from react_engine.parsers.openers import Opener
from react_engine.parsers.react import read_react
from react_engine.parsers.settle import holds_placeholder

_PARAGRAPH = re.compile(r"\n[ \t]{0,80}\n")
_STRONG_THOUGHTS = frozenset({"thinking", "reasoning", "reflection"})  # these words head ordinary paragraphs, too


def read_labelled(draft: Draft, start: int, end: int, hidden: Callable[[int], bool]) -> bool:
    """Whether labels in the text make a step; then it is read into ``draft``."""
    labels = [label for label in find_labels(draft.raw, start, end) if not hidden(label.start)]
    labels = _counting(draft, step_labels(draft.raw, start, end, labels))
    if labels and labels[0].field is Field.INPUT and _begins_with_name(draft, start, labels[0].start):
        labels.insert(0, Label(Field.ACTION, start, start, "Action", True))
    if not labels or not _is_react(draft, labels, start, end) or _is_shown(draft, labels, start, end):
        return False
    openers = marked.find_openers(draft.raw, start, end, hidden)
    if openers:
        deciding = [label.start for label in labels if label.field in (Field.ACTION, Field.ANSWER)]
        if not deciding or openers[0].start < deciding[0]:
            if _thought_then_marked(draft, start, end, labels, openers):
                return True
    draft.dialect = draft.dialect or dialect_of("labels")
    read_react(draft, start, end, labels)
    return True


def read_step_fence(draft: Draft, start: int, end: int, fences: list[Fence]) -> bool:
    """A step in a fence that ends the reply, behind one sentence in which the model says that it acts."""
    text = draft.raw
    if len(fences) != 1 or not fences[0].closed or draft.cut or text[fences[0].outer_end : end].strip():
        return False
    fence, before = fences[0], text[start : fences[0].outer_start].strip()
    if fence.language not in STEP_FENCES or not 0 < len(before) <= SENTENCE or "\n" in before:
        return False
    if (
        not acts_now(before)
        or hands_over(before)
        or _ABOUT_FORM.search(before)
        or announces_sample(text, start, fence.outer_start)
    ):
        return False
    labels = list(find_labels(text, fence.start, fence.end))
    fields = [label.field for label in labels]
    if fields not in _STEPS or text[fence.start : labels[0].start].strip():
        return False
    probe = draft.probe(dialect_of("labels"))
    read_react(probe, fence.start, fence.end, labels)
    if len(probe.calls) != 1 or probe.problems or holds_placeholder(probe.calls[0].arguments, probe.calls[0].raw):
        return False
    if probe.calls[0].name not in draft.index:
        return False
    draft.think(before)
    draft.absorb(probe)
    draft.dialect = draft.dialect or probe.dialect
    return True


_ABOUT_FORM = re.compile(r"\b(?:you|yours|how|writ\w+|wrote|shows?|shown|forms?|quote\w*|steps?)\b", re.IGNORECASE)
_STEPS = ([Field.ACTION, Field.INPUT], [Field.THOUGHT, Field.ACTION, Field.INPUT])


def _is_shown(draft: Draft, labels: list[Label], start: int, end: int) -> bool:
    """Whether the one step is a sample between paragraphs that speak of it."""
    if sum(label.field is Field.ACTION for label in labels) > 1:
        return False
    first = labels[0].start
    if not announces(draft.raw[max(start, first - SENTENCE) : first]):
        return False
    behind = _PARAGRAPH.search(draft.raw, labels[-1].end, end)
    return behind is not None and is_text(draft.raw, behind.start(), end)


def _begins_with_name(draft: Draft, start: int, end: int) -> bool:
    """Whether nothing but a tool's name stands before the first label: the prompt ended in ``Action:``."""
    written = draft.raw[start:end].strip()
    if markup().beginnings.match(draft.raw, start, end) is not None:  # a call in another form
        return False
    return "\n" not in written and 0 < len(written) < 200 and draft.index.resolve(written).kind == "known"


def _counting(draft: Draft, labels: list[Label]) -> list[Label]:
    """Without the labels that have no colon, unless others or a tool's name show that they belong to a step."""
    strong = [label for label in labels if not label.weak]
    if len(strong) == len(labels):
        return labels
    if any(label.field in (Field.THOUGHT, Field.ACTION, Field.ANSWER) for label in strong):
        return labels
    fields = [label.field for label in labels]
    if Field.ACTION in fields and Field.INPUT in fields and _names_a_tool(draft, labels, len(draft.raw)):
        return labels
    headed = any(label.word.lower().startswith("final") for label in labels) and Field.THOUGHT in fields
    return labels if headed else strong


def _thought_then_marked(draft: Draft, start: int, end: int, labels: list[Label], openers: list[Opener]) -> bool:
    first = labels[0]
    if first.field is Field.THOUGHT and first.start < openers[0].start:
        thought, start = draft.raw[first.end : openers[0].start], openers[0].start
    else:
        thought = ""
    if not marked.read_marked(draft, start, end, openers):
        return False
    if thought:
        draft.think(thought)
    return True


def _is_react(draft: Draft, labels: list[Label], start: int, end: int) -> bool:
    """Whether the labels make a step, or are headings of ordinary text."""
    fields = {label.field for label in labels}
    thoughts = [x for x in labels if x.field is Field.THOUGHT and x.word.lower() not in _STRONG_THOUGHTS]
    if frame_of(draft.dialect) == "labels":
        return bool(fields & {Field.THOUGHT, Field.ACTION, Field.ANSWER, Field.OBSERVATION})
    if _explains_labels(draft, labels, start):
        return False
    if thoughts:
        return True
    if Field.ACTION in fields and (Field.INPUT in fields or _names_a_tool(draft, labels, start)):
        return True
    answers = [label for label in labels if label.field is Field.ANSWER]
    if Field.QUESTION in fields and len(answers) != 1:
        return False
    return len(answers) == 1 or (len(answers) > 1 and _is_final(answers[0]))


_BULLET = re.compile(r"\s*+[-*•]\s")


def _explains_labels(draft: Draft, labels: list[Label], start: int) -> bool:
    """Whether the labels are items of a list behind a few words, actions among them, none of which names a tool."""
    if len(labels) < 3 or not draft.raw[start : labels[0].start].strip():
        return False
    if not all(_BULLET.match(draft.raw, label.start, label.end) for label in labels):
        return False
    lines = [
        draft.raw[label.end : label.end + 400].split("\n", 1)[0] for label in labels if label.field is Field.ACTION
    ]
    return bool(lines) and all(
        " " in line.strip() and draft.index.resolve(line.strip()).kind != "known" for line in lines
    )


def _names_a_tool(draft: Draft, labels: list[Label], start: int) -> bool:
    for label in labels:
        if label.field is not Field.ACTION:
            continue
        line = draft.raw[label.end : label.end + 400].strip().split("\n", 1)[0]
        if any(word and draft.index.resolve(word).kind == "known" for word in (line, head_of(line))):
            return True
        if line[:1] in "{[`" or (label.plain and not draft.raw[start : label.start].strip()):
            return True
    return False


def _is_final(label: Label) -> bool:
    return "final" in label.word.lower()
