"""Python calls without markers: as the whole reply, as a list on lines of its own, or in a fence for tool code."""

from __future__ import annotations

import re
from collections.abc import Callable

from react_engine.parsers.control import strip_end_tokens
from react_engine.parsers.cues import announces_sample, goes_on
from react_engine.parsers.dialects import dialect_of
from react_engine.parsers.draft import MOST_CALLS, Draft
from react_engine.parsers.fences import Fence
from react_engine.parsers.literals import CallArguments, Value
from react_engine.parsers.markup import markup
from react_engine.parsers.objects import CallIntent
from react_engine.parsers.python_body import CALL, read_calls, tolerances
from react_engine.parsers.tokens import behind
from react_engine.types import Span

_LIST = re.compile(
    r"(?:^[ \t]{0,8}|<\|python_(?:start|end)\|>\s*+)(?=\[\s{0,8}[^\W\d][\w.\-]{0,127}\s{0,2}\()", re.MULTILINE
)
_WRAPPERS = re.compile(r"\s*+(?:<\|python_(?:start|tag)\|>|tool_code[ \t]*+\n)?\s*+")
_CLOSING = re.compile(r"\s*(?:<\|(?:python_end|eot|eot_id|eom_id|im_end)\|>|;|\])*\s*")
_BLANK = re.compile(r"\s*")
_LIST_GOES_ON = re.compile(r"\s*\[")
_NAME_BEGUN = re.compile(r"[\s,]*(?:[^\W\d][\w.\-]{0,127})?\s*")
_PARENTHESIS = re.compile(r"[()]")
_NEXT = re.compile(r"[\s,;]*")
_COMMENTS = re.compile(r"(?:\s*+#[^\n]*+\n)*+")
CODE_LANGUAGES = frozenset({"tool_code", "tool_call", "tool_calls", "tool"})
"""Of fences that hold calls."""


def read_whole(draft: Draft, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` is nothing but calls of known tools; then they are read into ``draft``."""
    text = draft.raw
    position = behind(_WRAPPERS, text, start, end)
    head = CALL.match(text, position, end)
    if head is None:
        return False
    built_in = head["method"] is not None and "<|python_tag|>" in text[start:position]
    if not built_in and draft.index.resolve(head["name"]).kind != "known":
        return False
    found, stop, broken = read_calls(draft, position, end)
    draft.tries.spend(end - position if broken is not None else stop - position)
    if broken is not None:
        if not draft.cut or broken.error is not None:
            return _worked_out(draft, position, stop, end, broken)
        if found and "[" in text[position : head.start("name")] and _take(draft, found):
            draft.truncated = True  # the calls before the cut are whole
            return True
        draft.problem("truncated", "The call was cut off.", "Write the whole call again.", Span(position, end))
        return True
    if draft.cut and found and _LIST_GOES_ON.match(text, position) and "]" not in text[found[-1][2].end : end]:
        if _NAME_BEGUN.fullmatch(text, stop, end) is None:
            return False
        draft.truncated = True
    elif len(found) < MOST_CALLS and behind(_CLOSING, text, stop, end) < end:
        return False
    return _take(draft, found, marked=built_in and all(_keyed(intent) for intent, _, _ in found))


def _worked_out(draft: Draft, start: int, position: int, end: int, broken: Value) -> bool:
    """Whether the reply is calls all the same, and what cannot be read in them is code in the place of a value."""
    head = CALL.match(draft.raw, position, end)
    if head is None or broken.problem_code not in ("expression", "not-a-number"):
        return False
    depth = 1
    for sign in _PARENTHESIS.finditer(draft.raw, head.end(), end):
        depth += 1 if sign[0] == "(" else -1
        if depth == 0:
            after = behind(_CLOSING, draft.raw, sign.end(), end)
            if after < end and CALL.match(draft.raw, behind(_NEXT, draft.raw, after, end), end) is None:
                return False
            found = broken.error[1] if broken.error is not None else "code"
            draft.problem(
                broken.problem_code,
                f"The call could not be read: found {found}.",
                "Write name(key=value, …) with values, not variables.",
                Span(start, end),
            )
            return True
    return False


def _take(draft: Draft, found: list[tuple[CallIntent, Value, Span]], *, marked: bool = False) -> bool:
    """Take the calls over, if each names a tool and its arguments fit; where they are ``marked`` a name may be unknown."""
    if not found or not (marked or all(draft.index.resolve(intent.name).kind == "known" for intent, _, _ in found)):
        return False
    probe = draft.probe(dialect_of("python"))
    for intent, read, span in found:
        probe.call_from(intent, span, marked=marked, extra=tolerances(read))
    draft.absorb(probe)
    draft.dialect = probe.dialect
    draft.is_full()
    return True


def read_lists(draft: Draft, start: int, end: int, hidden: Callable[[int], bool]) -> bool:
    """Lists of calls on lines of their own, with text around them that becomes visible."""
    text, position = draft.raw, start
    visible: list[str] = []
    found_any = False
    for match in _LIST.finditer(text, start, end):
        if draft.tries.left < 0 or draft.cut:
            break
        if match.start() < position or hidden(match.end()) or announces_sample(text, position, match.end()):
            continue
        found, stop, broken = read_calls(draft, match.end(), end)
        draft.tries.spend(end - match.end() if broken is not None else stop - match.end())
        if broken is not None or not found or "]" not in text[found[-1][2].end : stop]:
            continue
        if (
            any(not _keyed(intent) for intent, _, _ in found)
            or text[stop - 1 : stop] not in "\n]"
            or not _take(draft, found)
        ):
            continue
        found_any = True
        visible.append(text[position : match.start()])
        position = stop
    if found_any:
        visible.append(text[position:end])
        chrome = markup().chrome
        shown = (strip_end_tokens(chrome.sub("", part)).strip() for part in visible)
        draft.visible[:0] = [part for part in shown if part]
    return found_any


def _keyed(intent: CallIntent) -> bool:
    return isinstance(intent.arguments, CallArguments) and not intent.arguments.positional


def read_code_fences(draft: Draft, start: int, end: int, fences: list[Fence]) -> bool:
    """Calls in fences that are marked as tool code, or in a fence that is the whole reply."""
    text, position, found_any = draft.raw, start, False
    visible: list[str] = []
    first, last = behind(_BLANK, text, start, end), start + len(text[start:end].rstrip())
    for fence in fences:
        if draft.tries.left < 0:
            break
        alone = fence.outer_start <= first and fence.outer_end >= last
        if not (fence.language in CODE_LANGUAGES or (alone and (fence.closed or not draft.cut))):
            continue
        if not alone and goes_on(text, fence.outer_end):
            continue
        probe = draft.probe(dialect_of("python", "fenced"))
        begin = behind(_COMMENTS, text, fence.start, fence.end) if fence.language in CODE_LANGUAGES else fence.start
        if not read_whole(probe, begin, fence.end):
            if not (alone and fence.language == "tool_code"):
                continue
            probe.problem(
                "malformed-call",
                "The code is no call of a tool with plain values.",
                "Write name(key=value, …) with values, not variables.",
                Span(fence.start, fence.end),
            )
        draft.absorb(probe)
        draft.dialect, found_any = probe.dialect, True
        visible.append(text[position : fence.outer_start])
        position = fence.outer_end
    if found_any:
        visible.append(text[position:end])
        draft.visible[:0] = [part for part in (strip_end_tokens(piece).strip() for piece in visible) if part]
    return found_any
