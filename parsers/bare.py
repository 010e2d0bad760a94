"""Replies without markers: JSON in a fence, JSON as the whole reply, or plain text that is the answer.

Without a marker the shape of the whole reply must show that a call is meant: a known tool, arguments that
hold no placeholders, the object in a fence or at the end of the reply, and no words before it that
announce an example.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from react_engine.labels import Field
from react_engine.parsers.body import behind_closers
from react_engine.parsers.control import strip_end_tokens
from react_engine.parsers.cues import announces_sample, hands_over, speaks_of_marker
from react_engine.parsers.draft import MOST_CALLS, Draft
from react_engine.parsers.fences import Fence
from react_engine.parsers.labels import find_labels
from react_engine.parsers.literals import Value, read_strict, read_values, skip_blanks
from react_engine.parsers.marked import find_openers, read_marked
from react_engine.parsers.markup import markup
from react_engine.parsers.objects import AnswerIntent, CallIntent, EchoIntent, Intent, intents, whole_items
from react_engine.parsers.regions import before_stop_remainder
from react_engine.parsers.settle import decoded, holds_placeholder
from react_engine.parsers.tokens import behind
from react_engine.types import Span, Tolerance

_OPENERS = "{[｛"
_EMPTY_LIST = re.compile(r"\s*+\[\s*+\]\s*+")
_LINE_OBJECT = re.compile(r"^[ \t]*(?=[{\[｛])", re.MULTILINE)
_PARAGRAPH = re.compile(r"[ \t]*+\r?\n[ \t]*+\r?\n\s*+(?=[^\W\d_])")
_TRAILING = re.compile(r"[\s}\])`;,.]*(?:</?[\w|:./-]{1,40}>\s*)*")
_TOOL_QUESTION = re.compile(
    r"\s*+(?:thought:\s*+)?[^\n<\[{(]{0,40}\bneed to use a tool\?\s*(?:no|否)\b[.:]?[ \t]*\n?", re.IGNORECASE
)
_SPEAKER = re.compile(r"\s*+(?:AI|Assistant|Answer)\s*[:：]\s*")


def read_object(draft: Draft, start: int, end: int, *, is_reply: bool = False, whole: bool = False) -> bool:
    """Whether ``text[start:end]`` as a whole is a step in JSON; then it is read into ``draft``.

    ``is_reply``: it is all that the model said, so that a closing marker and text may stand behind it. ``whole``: only
    calls count that have a key for their arguments, since the object is shown among text.
    """
    text = draft.raw
    start = skip_blanks(text, start, end)
    if start < end and text[start] == '"' and is_reply:
        return _read_encoded(draft, start, end)
    if start >= end or text[start] not in _OPENERS:
        return False
    found: list[tuple[Intent, Span, Value]] = []
    position = start
    for begin, read in read_values(text, start, end, closed=not draft.cut):
        if len(found) >= MOST_CALLS:
            end = position
            break
        draft.tries.spend(read.end - begin)
        if read.error is not None or not read.complete or (draft.cut and read.guessed):
            if draft.cut and not whole and (items := whole_items(read)) is not None:
                found.extend((intent, Span(begin, read.end), items) for intent in intents(items.value, draft.index))
            if draft.cut and any(isinstance(intent, CallIntent) for intent, _, _ in found):
                draft.truncated = True  # the calls before the cut are whole
                return _take(draft, found)
            return _broken_object(draft, read, start, end)
        meant = intents(read.value, draft.index)
        if not meant and read.value != []:
            return False
        if whole and any(isinstance(intent, CallIntent) and not intent.explicit for intent in meant):
            return False
        if any(closer in text[position:begin] for closer in "}]"):
            draft.note("surplus-closer", Span(position, begin))
        found.extend((intent, Span(begin, read.end), read) for intent in meant)
        position = read.end
    end = before_stop_remainder(text, position, end)
    if behind(_TRAILING, text, position, end) < end:
        return is_reply and (_closed_by_marker(draft, found, position, end) or _explained(draft, found, position, end))
    if text[position:end].strip():
        draft.note("noise-after-arguments", Span(position, end))
    return _take(draft, found)


def _read_encoded(draft: Draft, start: int, end: int) -> bool:
    """A reply that is one JSON string which holds the whole call."""
    read = read_strict(draft.raw, start, end)
    if read is None or draft.raw[read.end : end].strip() or not isinstance(inner := decoded(str(read.value)), dict):
        return False
    calls = [intent for intent in intents(inner, draft.index) if isinstance(intent, CallIntent)]
    if len(calls) != 1 or draft.index.resolve(calls[0].name).kind != "known":
        return False
    span = Span(start, read.end)
    return draft.call_from(calls[0], span, marked=False, extra=(Tolerance("double-encoded", span),))


def _closed_by_marker(draft: Draft, found: list[tuple[Intent, Span, Value]], position: int, end: int) -> bool:
    """Calls that only lack their opening marker: the closing one stands behind them, then text on a line of its own."""
    after = behind_closers(draft.raw, position, end)
    calls = all(
        isinstance(intent, CallIntent) and draft.index.resolve(intent.name).kind == "known" for intent, _, _ in found
    )
    if after == position or not found or not calls or not draft.raw[after:end].lstrip(" \t\r").startswith("\n"):
        return False
    draft.note("missing-opener", Span(position, after))
    if not _take(draft, found):
        return False
    openers = find_openers(draft.raw, after, end)
    if not openers or not read_marked(draft, after, end, openers):
        draft.visible.append(strip_end_tokens(draft.raw[after:end]).strip())
    return True


def _explained(draft: Draft, found: list[tuple[Intent, Span, Value]], position: int, end: int) -> bool:
    """Calls that begin the reply, with a paragraph behind them that says what they are for."""
    text = draft.raw
    words = _PARAGRAPH.match(text, position, end)
    if words is None or draft.cut:
        return False
    seen = text[words.end() : min(end, words.end() + 300)]
    if hands_over(seen):
        return False
    for intent, span, _ in found:
        if not isinstance(intent, CallIntent) or not intent.explicit or intent.keyed or intent.name not in draft.index:
            return False
        if holds_placeholder(intent.arguments, text[span.start : span.end]):
            return False
    if not _take(draft, found):
        return False
    draft.visible.append(strip_end_tokens(text[words.end() : end]).strip())
    return True


def _broken_object(draft: Draft, read: Value, start: int, end: int) -> bool:
    """An object that does not close. It is a broken call only if it names a tool on its way."""
    head = draft.raw[start : min(end, start + 2000)]
    names = re.findall(
        r"[\"'“](?:name|tool_name|function_name|action|tool|function)[\"'”]\s*[:：]\s*[\"'“]([^\"'”\n]{1,120})[\"'”]",
        head,
    )
    if not any(draft.index.resolve(name).kind == "known" for name in names):
        return False
    if draft.cut:
        draft.problem(
            "truncated", "The call was cut off.", "Write the whole call again, shorter if need be.", Span(start, end)
        )
    else:
        _, found = read.error or ("", "an open bracket or quote")
        draft.problem(
            read.problem_code,
            f"The call could not be read: found {found}.",
            "Write it as one JSON object.",
            Span(start, end),
        )
    return True


def read_nothing_to_call(draft: Draft, start: int, end: int) -> bool:
    """Whether the reply is an empty list: the model calls nothing and says nothing."""
    if _EMPTY_LIST.fullmatch(draft.raw, start, end) is None:
        return False
    draft.note("no-action", Span(start, end))
    return True


def _take(draft: Draft, found: list[tuple[Intent, Span, Value]]) -> bool:
    """Take over what objects mean, if all of it is meant for the engine."""
    if any(isinstance(intent, EchoIntent) and not intent.pattern for intent, _, _ in found):
        return False  # the definition of a tool is shown, nothing is called
    if any(isinstance(intent, EchoIntent) for intent, _, _ in found):
        draft.echo(found[0][1])
        return True
    calls = [(intent, span, read) for intent, span, read in found if isinstance(intent, CallIntent)]
    if any(intent.keyed for intent, _, _ in calls):
        return False  # data may have a key that is like a tool's name
    unknown = [intent for intent, _, _ in calls if draft.index.resolve(intent.name).kind == "unknown"]
    if calls and len(unknown) == len(calls):
        if any(_is_action(read) for _, _, read in calls):
            draft.unknown(unknown[0].name, calls[0][1])
            return True
        slips = [name for intent in unknown for name in draft.index.names.near(intent.name)]
        if len(slips) != len(calls):
            return False
    for intent, span, read in found:
        if draft.is_full():
            break
        if intent.thought:
            draft.think(intent.thought)
        if isinstance(intent, AnswerIntent):
            draft.answer = intent.text.strip()
            draft.visible.append(draft.answer)
            break
        if isinstance(intent, CallIntent):
            draft.call_from(intent, span, marked=True, extra=read.tolerances)
    return bool(found)


def _is_action(read: Value) -> bool:
    return isinstance(read.value, dict) and isinstance(read.value.get("action"), str)


def answers_the_tool_question(text: str, start: int, end: int) -> bool:
    """Whether the reply begins by deciding against a tool and goes on with something."""
    question = _TOOL_QUESTION.match(text, start, end)
    return question is not None and bool(text[question.end() : end].strip())


def read_fences(draft: Draft, start: int, end: int, fences: list[Fence]) -> bool:
    """Calls in code fences, with text around them that becomes visible. False if no fence holds one."""
    position = start
    found_any = False
    visible: list[tuple[int, int]] = []
    shown_end: int | None = None
    for fence in fences:
        if draft.tries.left < 0:
            break
        if not _is_call_fence(draft, fence):
            continue
        probe = draft.probe()
        if not read_object(probe, fence.start, fence.end, whole=bool(draft.raw[start : fence.outer_start].strip())):
            continue
        beside = shown_end is not None and not draft.raw[shown_end : fence.outer_start].strip()
        if probe.answer is None and (
            beside or announces_sample(draft.raw, position, fence.outer_start, fence.outer_end)
        ):
            shown_end = fence.outer_end  # what stands right behind a sample is one more
            continue
        draft.absorb(probe)
        found_any = True
        visible.append((position, fence.outer_start))
        position = fence.outer_end
        if draft.answer is not None:
            draft.visible[:] = [draft.answer]
            return True
    if not found_any:
        return False
    visible.append((position, end))
    shown = [strip_end_tokens(draft.raw[a:b]).strip() for a, b in visible]
    draft.visible[:0] = [text for text in shown if text]
    if not draft.calls and draft.answer is None and not draft.problems and draft.visible:
        draft.answer = "\n".join(draft.visible)  # "directly answer": the text around is the answer
    return True


def _is_call_fence(draft: Draft, fence: Fence) -> bool:
    body = skip_blanks(draft.raw, fence.start, fence.end)
    return body < fence.end and draft.raw[body] in _OPENERS and (fence.closed or not draft.cut)


def read_last_object(draft: Draft, start: int, end: int, fences: Sequence[Fence] = ()) -> bool:
    """An object that begins a line and ends the reply, with text before it; what stands in ``fences`` is judged."""
    if draft.cut:  # what would follow could make it an example
        return False
    text = draft.raw
    for position in (match.end() for match in _LINE_OBJECT.finditer(text, start, end)):
        if draft.tries.left < 0:
            break
        if announces_sample(text, start, position) or any(
            f.closed and f.start <= position < f.end for f in fences[-1:]
        ):
            continue
        probe = draft.probe()
        if (
            read_object(probe, position, end, whole=bool(text[start:position].strip()))
            and probe.calls
            and not any(holds_placeholder(c.arguments, c.raw) for c in probe.calls)
        ):
            draft.absorb(probe)
            draft.visible.append(strip_end_tokens(text[start:position]).strip())
            return True
    return False


def visible(text: str, start: int, end: int, cut_out: Sequence[Span]) -> str:
    """The text without the blocks of reasoning in it."""
    pieces, position = [], start
    for block in cut_out:
        if block.start >= position and block.end <= end:
            pieces.append(text[position : block.start])
            position = block.end
    pieces.append(text[position:end])
    return "\n".join(part for piece in pieces if (part := without_edges(piece)))


def without_edges(text: str) -> str:
    """The text without the markers of its channel, and without end tokens."""
    known = markup()
    text = text.strip()
    if (leading := known.leading.match(text)) and not speaks_of_marker(text, leading.end()):
        text = text[leading.end() :]
    if trailing := known.trailing.search(text, max(0, len(text) - 400)):
        text = text[: trailing.start()]
    return strip_end_tokens(text).strip()


def read_text(draft: Draft, start: int, end: int, cut_out: Sequence[Span] = ()) -> None:
    """Plain text: the answer, or nothing at all. ``cut_out`` are blocks that are not text."""
    content_start = start
    if question := _TOOL_QUESTION.match(draft.raw, start, end):
        draft.note("format-question", Span(start, question.end()))
        draft.think(question[0].strip().removeprefix("Thought:"))
        content_start = question.end()
        if speaker := _SPEAKER.match(draft.raw, content_start, end):
            content_start = speaker.end()
        elif (labels := find_labels(draft.raw, content_start, end)) and labels[0].field is Field.ANSWER:
            if not draft.raw[content_start : labels[0].start].strip():
                content_start = labels[0].end
    content = visible(draft.raw, content_start, end, cut_out)
    if content and _ends_in_openers(draft.raw, content_start, end):
        draft.problem(
            "malformed-call", "A call is announced and does not come.", "Write the whole call.", Span(start, end)
        )
        return
    if content and not _is_wreckage(content):
        draft.answer = content
        draft.visible.append(content)
        draft.truncated = draft.truncated or draft.cut
        return
    if draft.cut:
        draft.problem(
            "truncated", "The reply was cut off before an action or an answer.", "Be brief.", Span(start, end)
        )
    elif draft.thoughts:
        draft.problem(
            "no-answer",
            "There is only reasoning, no action and no answer.",
            "Act, or give the answer.",
            Span(start, end),
        )
    else:
        draft.problem("empty", "The reply is empty.", "Call a tool or give an answer.", Span(start, end))


_WRECKAGE = re.compile(
    r"(?:<[|｜]?/?[\w▁ :|｜-]{1,40}[|｜]?>\s*)+|(?:[\s\S]*\n)?\s*(?:<(?:function|tool_call|parameter)\s*)+"
)


def _is_wreckage(content: str) -> bool:
    """Whether nothing but broken markup is there."""
    return content[-200:].rstrip().endswith(("<function", "<tool_call", "<tool_call>", "<parameter")) or (
        content[:1] == "<" and len(content) < 400 and _WRECKAGE.fullmatch(content) is not None
    )


def _ends_in_openers(text: str, start: int, end: int) -> bool:
    """Whether the text ends, on a line of its own, in markers of calls without a call."""
    known = markup()
    stop, opened = start + len(text[start:end].rstrip()), False
    while (line := text.rfind("\n", max(start, end - 200), stop) + 1) != 0:
        position = skip_blanks(text, line, stop)
        if position == stop:
            break
        opened = opened or known.opener.match(text, position, stop) is not known.beginning.match(text, position, stop)
        while marker := known.opener.match(text, position, stop) or known.chrome.match(text, position, stop):
            position = marker.end()
        if position < stop:
            break
        stop = start + len(text[start:line].rstrip())
    return opened and stop < start + len(text[start:end].rstrip())
