"""Bodies of JSON: whole calls, or the arguments of a call whose name stands in its markers."""

from __future__ import annotations

import re

from react_engine.parsers.body import Body, Frame, behind_closers, cut_off, next_closer, stands_alone
from react_engine.parsers.draft import Draft
from react_engine.parsers.literals import Value, read_members, read_strict, read_unescaped, read_value
from react_engine.parsers.markup import markup
from react_engine.parsers.names import is_identifier
from react_engine.parsers.objects import AnswerIntent, CallIntent, EchoIntent, NoCallIntent, intents, whole_items
from react_engine.parsers.openers import Opener
from react_engine.parsers.regions import Region
from react_engine.parsers.settle import decoded
from react_engine.types import Span, Tolerance

_FENCE_END = re.compile(r"\n\s{0,8}`{3,8}\s{0,8}\Z")
_BETWEEN = re.compile(r"[\s,;}\]]*")


def read(draft: Draft, frame: Frame) -> Body | None:
    """The calls of one frame, one JSON value after the other."""
    opener, limit, end = frame.opener, frame.limit, frame.end
    position, found = opener.body, 0
    text, known = draft.raw, markup()
    calls = len(draft.calls)
    while position < end and text[position] in ("{[｛" if found else '{[｛"') and not draft.is_full():
        if text[position] == "[" and (
            known.result.match(text, position, end) or (found and known.opener.match(text, position, end))
        ):
            break
        read, closed = _value(draft, position, limit, end)
        if not found and _is_text(draft, opener, read):
            return _read_text(draft, frame)
        if not opener.name and (torn := _with_what_was_torn_off(draft, read, limit)) is not None:
            read = torn
        span = Span(opener.start if not found else position, read.end)
        if draft.cut and not closed and not opener.name and (items := whole_items(read)) is not None:
            draft.truncated = True  # the calls before the cut are whole
            _calls(draft, items, span)
            return Body(max(read.end, limit))
        if read.error is not None or not read.complete or (draft.cut and not closed and read.guessed):
            if opener.dialect.self_named and not found and not _knows(draft, opener.name):
                return None
            _unread(draft, read, Span(opener.start, read.end), closed)
            return Body(max(read.end, behind_closers(text, read.end, limit)))
        if not found and not opener.name and _is_shown_definition(draft, frame, read):
            return None
        found += _named(draft, frame, read, span) if opener.name and not found else _calls(draft, read, span)
        if not found and opener.dialect.self_named:
            return None
        position = read.end
        if surplus := _BETWEEN.match(text, position, max(position, limit)):
            if "}" in surplus[0] or "]" in surplus[0]:
                draft.note("surplus-closer", Span(position, surplus.end()))
            following = surplus.end()
            goes_on = following < end and text[following] in "{[｛" and not known.closer.match(text, following, end)
            position += len(surplus[0] if goes_on else surplus[0].rstrip(" \t\r\n,;"))
            if not goes_on:
                break
    after = behind_closers(text, position, limit)
    if opener.dialect.self_named and not stands_alone(draft, frame, after):
        del draft.calls[calls:]
        return None
    return Body(after)


_PROSE = re.compile(r"[^\n<>{}\[\]]{12,400}[.!?:。！？：]")


def _is_shown_definition(draft: Draft, frame: Frame, read: Value) -> bool:
    """Whether a block holds the definition of a tool, shown between a sentence before and one behind it."""
    text, start = draft.raw, frame.opener.start
    if start == 0 or frame.limit != frame.end:
        return False
    before = text[max(0, start - 400) : start].rstrip()
    if _PROSE.fullmatch(before[before.rfind("\n") + 1 :]) is None:
        return False
    after = behind_closers(text, read.end, frame.limit)
    if after == read.end or _PROSE.fullmatch(text[after : frame.end].strip()) is None:
        return False
    meant = intents(read.value, draft.index)
    return bool(meant) and all(isinstance(intent, EchoIntent) and not intent.pattern for intent in meant)


_TORN_OFF = re.compile(r"\s*+,\s*+\"(?P<key>arguments|parameters|args|input)\"\s*+:\s*+(?=[{\"])")


def _with_what_was_torn_off(draft: Draft, read: Value, limit: int) -> Value | None:
    """An object that was closed before its arguments, with the arguments that follow it."""
    if not isinstance(read.value, dict) or read.error is not None or not read.complete:
        return None
    torn = _TORN_OFF.match(draft.raw, read.end, limit)
    if torn is None or torn["key"] in read.value:
        return None
    rest = read_value(draft.raw, torn.end(), limit, closed=not draft.cut)
    if rest.error is not None or not rest.complete:
        return None
    early = Tolerance("closed-early", Span(read.end - 1, torn.end()))
    return rest._replace(
        value={**read.value, torn["key"]: rest.value}, tolerances=(early, *read.tolerances, *rest.tolerances)
    )


def _knows(draft: Draft, name: str) -> bool:
    return bool(name) and draft.index.resolve(name).kind == "known"


_MEMBERS = re.compile(r"\"[^\"\\\n]{1,80}\"\s{0,4}:")


def _value(draft: Draft, position: int, limit: int, end: int) -> tuple[Value, bool]:
    """One value: strictly, or tolerantly up to the closing marker. And whether a closing marker was there."""
    if _MEMBERS.match(draft.raw, position, end):
        closer = next_closer(draft, position, limit)
        ended = closer is not None or not draft.cut
        return read_members(draft.raw, position, closer.start() if closer else limit, closed=ended), ended
    strict = read_strict(draft.raw, position, end)
    if strict is not None:  # valid JSON ends where it ends, whatever markers stand in its strings
        return strict, True
    closer = next_closer(draft, position, limit)
    region_end = _before_fence(draft.raw, position, closer.start() if closer else limit)
    read = read_value(draft.raw, position, region_end, closed=closer is not None or limit < end or not draft.cut)
    if (read.error is not None or not read.complete) and closer is not None:
        # The marker may stand inside a string: the last one before the next call bounds the value then.
        wider = read_value(draft.raw, position, limit, closed=False)
        if wider.error is None and wider.complete:
            return wider, True
    if limit < end and (whole := _past_an_opener(draft, read, position, end)) is not None:
        return whole, True
    if (
        read.error is not None
        and not draft.cut
        and (plain := read_unescaped(draft.raw, position, region_end)) is not None
    ):
        return plain, True
    if draft.cut and closer is None and (whole := _whole_but_for_a_brace(draft, position, limit)) is not None:
        return whole, True
    return read, closer is not None


def _past_an_opener(draft: Draft, read: Value, position: int, end: int) -> Value | None:
    """The value if the next opener stands inside one of its strings."""
    if read.complete or draft.tries.left < 0 or all(found.name != "unclosed-string" for found in read.tolerances):
        return None
    draft.tries.spend(end - position)
    whole = read_value(draft.raw, position, end, closed=False)
    return whole if whole.error is None and whole.complete and not whole.guessed else None


def _before_fence(text: str, start: int, end: int) -> int:
    """``end`` without the end of a code fence before it."""
    tail = text[max(start, end - 40) : end]
    return end - len(tail) + fence.start() if (fence := _FENCE_END.search(tail)) else end


def _whole_but_for_a_brace(draft: Draft, position: int, limit: int) -> Value | None:
    """A call at a cut whose arguments are closed: only its own last brace is missing."""
    if not draft.raw[position:limit].rstrip().endswith("}"):
        return None
    read = read_value(draft.raw, position, limit)
    only_closer = all(tolerance.name == "missing-closer" for tolerance in read.tolerances)
    return read if read.error is None and only_closer and read.depth == 1 and isinstance(read.value, dict) else None


def _named(draft: Draft, frame: Frame, read: Value, span: Span) -> int:
    """The call whose name stands in the markers, with this value for its arguments."""
    opener = frame.opener
    name = draft.index.resolve(opener.name)
    if name.kind != "known" and isinstance(read.value, dict):
        inside = [item for item in intents(read.value, draft.index) if isinstance(item, CallIntent)]
        if len(inside) == 1 and _knows(draft, inside[0].name):  # the marker holds an id, the object the whole call
            return int(draft.call_from(inside[0]._replace(id=opener.id), span, marked=True, extra=read.tolerances))
        if opener.name.isdigit() and (fitting := draft.index.fitting(read.value)) is not None:
            extra = (Tolerance("inferred-name", span, lossy=True), *read.tolerances)
            return int(draft.call_from(CallIntent(fitting, read.value, opener.id), span, marked=True, extra=extra))
    if opener.dialect.self_named and name.kind != "known":
        return 0
    intent = CallIntent(opener.name, read.value, opener.id if opener.id != opener.name else "")
    return int(draft.call_from(intent, span, marked=True, extra=read.tolerances))


def _calls(draft: Draft, read: Value, span: Span) -> int:
    value = decoded(read.value) if isinstance(read.value, str) else read.value
    found = intents(value, draft.index)
    for intent in found:
        if draft.is_full():
            break
        if isinstance(intent, CallIntent):
            draft.call_from(intent, span, marked=True, extra=read.tolerances)
        elif isinstance(intent, EchoIntent):
            draft.echo(span)
        elif isinstance(intent, AnswerIntent):
            draft.answer = intent.text
            draft.visible.append(intent.text)
        elif isinstance(intent, NoCallIntent):
            draft.note("no-action", span)
    if not found and (read.value not in ([], {}) or read.tolerances):
        draft.problem(
            "malformed-call",
            "The marked call holds no tool name with arguments.",
            'Write {"name": …, "arguments": {…}}.',
            span,
        )
    return len(found)


def _unread(draft: Draft, read: Value, span: Span, closed: bool) -> None:
    if not closed and read.error is None:
        cut_off(draft, *span)
        return
    _, found = read.error or ("", "an open string")
    draft.problem(
        read.problem_code, f"The call could not be read: found {found}.", "Write it as one JSON object.", span
    )


def read_nothing(draft: Draft, frame: Frame) -> Body | None:
    """A call without arguments: a name, then the closing marker or the end."""
    opener, text = frame.opener, draft.raw
    after = behind_closers(text, opener.body, frame.limit)
    name = draft.index.resolve(opener.name)
    if name.kind != "known" and (after == opener.body or not is_identifier(opener.name)):
        return None
    if after == opener.body and draft.cut:
        return cut_off(draft, opener.start, frame.limit)
    if opener.dialect.self_named and name.kind != "known":
        return None
    if (opener.dialect.self_named or name.kind != "known") and not stands_alone(draft, frame, after):
        return None
    draft.call_from(CallIntent(opener.name, {}, opener.id), Span(opener.start, after), marked=True)
    return Body(after)


_FENCE_BEFORE = re.compile(r"`{3}\w{0,20}\s{1,8}\Z")
_MEMBER = re.compile(
    r"[{\[｛［]\s{0,8}(?:[\"'“][^\"'”\n]{1,80}[\"'”]|[\w-]{1,80})\s{0,4}[:：]|[{\[｛［]\s{0,8}[{\[｛［\"]"
)


def _is_text(draft: Draft, opener: Opener, read: Value) -> bool:
    """Whether arguments that begin with a bracket are the bare text of a tool's one parameter, such as source code."""
    head = opener.dialect.head_pattern
    if head is None or "text" not in head.groupindex or not (read.tolerances or read.error or not read.complete):
        return False
    if not _knows(draft, opener.name) or _MEMBER.match(draft.raw, opener.body) is not None:
        return False
    if read.value == {} and read.complete and read.error is None:
        return False
    tool = draft.index[draft.index.resolve(opener.name).name]
    named = isinstance(read.value, dict) and not read.value.keys().isdisjoint(tool.parameters)
    return tool.sole_parameter is not None and not named


def _read_text(draft: Draft, frame: Frame) -> Body:
    """Arguments that are bare text."""
    opener, (stop, ended) = frame.opener, _stop(draft, frame)
    if draft.cut and not ended:
        return cut_off(draft, opener.start, frame.limit)
    tool = draft.index[draft.index.resolve(opener.name).name]
    stop = _inside_its_fence(draft.raw, opener.body, stop)
    span = Span(opener.start, behind_closers(draft.raw, stop, frame.limit))
    given = {str(tool.sole_parameter): draft.raw[opener.body : stop].strip()}
    draft.call_from(
        CallIntent(opener.name, given, opener.id), span, marked=True, extra=(Tolerance("unnamed-argument", span),)
    )
    return Body(span.end)


def _stop(draft: Draft, frame: Frame) -> tuple[int, bool]:
    """Where bare text ends: at the closing marker, or where the model begins to write the result. Whether one is there."""
    body, limit = frame.opener.body, frame.limit
    closer = next_closer(draft, body, limit)
    result = markup().result.search(draft.raw, body, closer.start() if closer else limit)
    ends = [found.start() for found in (result, closer) if found is not None]
    return (ends[0], True) if ends else (limit, False)


def _inside_its_fence(text: str, body: int, stop: int) -> int:
    """``stop`` without the end of the fence that was opened right before ``body``."""
    return _before_fence(text, body, stop) if _FENCE_BEFORE.search(text, max(0, body - 40), body) else stop


def read_words(draft: Draft, frame: Frame) -> Body | None:
    """Arguments as ``key=value`` or in parentheses behind the name."""
    opener, text = frame.opener, draft.raw
    name = draft.index.resolve(opener.name)
    if name.kind != "known":
        return None
    stop, ended = _stop(draft, frame)
    stop = _inside_its_fence(text, opener.body, stop)
    region = Region(text, opener.body, stop, cut=draft.cut and not ended, delimited=ended)
    read = draft.arguments(region, name)
    after = behind_closers(text, region.end, frame.limit)
    if read.problem is None and opener.dialect.self_named and not stands_alone(draft, frame, after):
        return None
    draft.call(name, Span(opener.start, after), read, (), opener.id)
    return Body(after)
