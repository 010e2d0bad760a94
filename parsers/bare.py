"""Replies without markers: JSON in a fence, JSON as the whole reply, or plain text that is the answer.

Without a marker the shape of the whole reply must show that a call is meant: a known tool, arguments that
hold no placeholders, the object in a fence or at the end of the reply, and no words before it that
announce an example.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from react_engine.labels import Field
from react_engine.parsers.arguments import before_stop_remainder
from react_engine.parsers.body import behind_closers
from react_engine.parsers.control import strip_end_tokens
from react_engine.parsers.draft import MOST_CALLS, Draft
from react_engine.parsers.fences import Fence
from react_engine.parsers.labels import find_labels
from react_engine.parsers.literals import Value, read_strict, read_values, skip_blanks
from react_engine.parsers.markup import markup
from react_engine.parsers.objects import AnswerIntent, CallIntent, EchoIntent, Intent, intents
from react_engine.parsers.settle import decoded, holds_placeholder
from react_engine.parsers.tokens import behind
from react_engine.types import Span, Tolerance

_OPENERS = "{[｛"
# Words before an object that say: this is an example, a format, a document.
_SAMPLE_CUE = re.compile(
    r"\b(?:example|for instance|e\.g\.|sample|such as|looks? like|look as follows|(?:would|could|might|should) (?:be|look|have)|"
    r"format|syntax|shape|template|schema|documentation|the docs|placeholder|don[’']t|do not|won[’']t|will not|cannot|can[’']t|"
    r"never|if you (?:confirm|agree|want|wish|like|say|approve)|once you|described|definition|quoted?|pasted)\b"
    r"|例如|示例|格式|比如|样例|不要|不能|如果你",
    re.IGNORECASE,
)
# Words behind an object that ask for leave first: nothing is to be called yet.
_ASKS_LEAVE = re.compile(
    r"\b(?:shall i|should i|may i|do you want|would you like me|go ahead|shall we|ok to proceed|please confirm|confirm (?:that|if|and))\b"
    r"|是否|可以吗|要不要|确认",
    re.IGNORECASE,
)
_LINE_OBJECT = re.compile(r"^[ \t]*(?=[{\[｛])", re.MULTILINE)
_TRAILING = re.compile(r"[\s}\])`;,.]*(?:</?[\w|:.-]{1,40}>\s*)*")
_TOOL_QUESTION = re.compile(
    r"\s*+(?:thought:\s*+)?[^\n<\[{(]{0,40}\bneed to use a tool\?\s*(?:no|否)\b[.:]?[ \t]*\n?", re.IGNORECASE
)
_SPEAKER = re.compile(r"\s*+(?:AI|Assistant|Answer)\s*[:：]\s*")


def read_object(draft: Draft, start: int, end: int, *, is_reply: bool = False) -> bool:
    """Whether ``text[start:end]`` as a whole is a step in JSON; then it is read into ``draft``.

    ``is_reply``: it is all that the model said, so that a closing marker and text may stand behind it.
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
            if draft.cut and any(isinstance(intent, CallIntent) for intent, _, _ in found):
                draft.truncated = True  # the calls before the cut are whole
                return _take(draft, found)
            return _broken_object(draft, read, start, end)
        meant = intents(read.value, draft.index)
        if not meant and read.value != []:
            return False
        if any(closer in text[position:begin] for closer in "}]"):
            draft.note("surplus-closer", Span(position, begin))
        found.extend((intent, Span(begin, read.end), read) for intent in meant)
        position = read.end
    end = before_stop_remainder(text, position, end)
    if behind(_TRAILING, text, position, end) < end:
        return is_reply and _closed_by_marker(draft, found, position, end)
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
    draft.visible.append(strip_end_tokens(draft.raw[after:end]).strip())
    return _take(draft, found)


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
        code, found = read.error or ("malformed-arguments", "an open bracket or quote")
        known = code if code in ("not-a-number", "too-deep") else "malformed-arguments"
        draft.problem(
            known, f"The call could not be read: found {found}.", "Write it as one JSON object.", Span(start, end)
        )
    return True


def read_nothing_to_call(draft: Draft, start: int, end: int) -> bool:
    """Whether the reply is an empty list: the model calls nothing and says nothing."""
    if draft.raw[start:end].strip() != "[]":
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
    for fence in fences:
        if draft.tries.left < 0:
            break
        if not _is_call_fence(draft, fence):
            continue
        probe = draft.probe()
        if not read_object(probe, fence.start, fence.end):
            continue
        if probe.answer is None and announces_sample(draft.raw, position, fence.outer_start, fence.outer_end):
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


def announces_sample(text: str, start: int, end: int, behind: int | None = None) -> bool:
    """Whether the last sentence before an object says that it is an example, or one behind it asks for leave."""
    before = text[max(start, end - 240) : end].rstrip()
    cut = max(before.rfind("\n\n"), before.rfind(". "), before.rfind("。"))
    if _SAMPLE_CUE.search(before[cut + 1 :]) is not None:
        return True
    return behind is not None and _ASKS_LEAVE.search(text, behind, behind + 300) is not None


def read_last_object(draft: Draft, start: int, end: int) -> bool:
    """An object that begins a line and ends the reply, with text before it."""
    if draft.cut:  # what would follow could make it an example
        return False
    text = draft.raw
    for position in (match.end() for match in _LINE_OBJECT.finditer(text, start, end)):
        if draft.tries.left < 0:
            break
        if announces_sample(text, start, position):
            continue
        probe = draft.probe()
        if (
            read_object(probe, position, end)
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
    if leading := known.leading.match(text):
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
    line = text.rfind("\n", max(start, end - 200), end - len(text[start:end]) + len(text[start:end].rstrip())) + 1
    if not line or known.opener.match(text, line, end) is known.beginning.match(text, line, end):
        return False
    position = line
    while marker := known.opener.match(text, position, end) or known.chrome.match(text, position, end):
        position = marker.end()
    return not text[position:end].strip()
