"""Bodies in an object syntax whose strings stand between tokens instead of quotes.

The tokens are put into a character that no text has, which the scanner then reads as a quote behind which nothing
is escaped.
"""

from __future__ import annotations

from typing import Any

from react_engine.parsers.body import Body, Frame, behind_closers, cut_off, next_closer, unreadable
from react_engine.parsers.draft import Draft
from react_engine.parsers.literals import CallArguments, Value, read_call_arguments, read_value
from react_engine.parsers.objects import CallIntent
from react_engine.parsers.strings import TOKEN_QUOTE
from react_engine.types import Span, Tolerance


def read(draft: Draft, frame: Frame) -> Body | None:
    """The call whose arguments stand in braces or parentheses at the opener's body."""
    opener, text = frame.opener, draft.raw
    read, used = _value(draft, frame, frame.limit)
    if text.count(opener.dialect.quote, opener.body, frame.limit) % 2 and (wider := _wider(draft, frame)) is not None:
        read, used = wider
    unclosed = any(tolerance.name == "missing-closer" for tolerance in read.tolerances)
    if (read.error is not None or not read.complete or unclosed) and (
        closed := _up_to_closer(draft, frame)
    ) is not None:
        read, used = closed
    position = opener.body + read.end + used.count(TOKEN_QUOTE) * (len(opener.dialect.quote) - 1)
    frame = frame._replace(limit=max(frame.limit, position))
    if read.error is not None:
        return unreadable(draft, f"found {read.error[1]}", opener.start, frame.limit)
    if not read.complete or (draft.cut and frame.limit >= frame.end and read.guessed):
        return cut_off(draft, opener.start, frame.limit)
    after = behind_closers(text, position, frame.end)
    span = Span(opener.start, after)
    value, lost = read.value, list[Tolerance]()
    if isinstance(value, CallArguments) and value.positional and draft.index.resolve(opener.name).kind != "known":
        return unreadable(draft, "arguments without names", opener.start, after)
    if TOKEN_QUOTE in used and _holds_token(value):
        value, lost = _without_tokens(value), [Tolerance("missing-quote", span, lossy=True)]
    extra = tuple(
        Tolerance(tolerance.name, span, tolerance.lossy)
        for tolerance in read.tolerances
        if tolerance.name not in ("unquoted-key", "quotes")
    )
    draft.call_from(CallIntent(opener.name, value, opener.id), span, marked=True, extra=(*lost, *extra))
    return Body(after)


def _value(draft: Draft, frame: Frame, limit: int) -> tuple[Value, str]:
    """The value up to ``limit`` with the text that it took, tokens in one character each."""
    written = (
        draft.raw[frame.opener.body : limit].replace(TOKEN_QUOTE, " ").replace(frame.opener.dialect.quote, TOKEN_QUOTE)
    )
    closed = not draft.cut or limit < frame.end
    if written[0] == "(":
        read = read_call_arguments(written, 1, len(written), closed=closed)
    else:
        read = read_value(written, 0, len(written), closed=closed)
    return read, written[: read.end]


def _wider(draft: Draft, frame: Frame) -> tuple[Value, str] | None:
    """The value if the next marker stands in one of its strings: up to the closing marker behind that string."""
    token = draft.raw.find(frame.opener.dialect.quote, frame.limit, frame.end)
    if token == -1 or draft.tries.left < 0:
        return None
    closer = next_closer(draft, token, frame.end)
    limit = closer.start() if closer is not None else frame.end
    draft.tries.spend(limit - frame.opener.body)
    read, used = _value(draft, frame, limit)
    sound = read.error is None and read.complete and not any(tolerance.lossy for tolerance in read.tolerances)
    return (read, used) if sound else None


def _up_to_closer(draft: Draft, frame: Frame) -> tuple[Value, str] | None:
    """The value if only its own last closers are missing before the closing marker."""
    closer = next_closer(draft, frame.opener.body, frame.limit)
    if closer is None or closer.start() <= frame.opener.body:
        return None
    read, used = _value(draft, frame, closer.start())
    return (read, used) if read.error is None and read.complete else None


def _holds_token(value: Any) -> bool:
    if isinstance(value, CallArguments):
        return _holds_token(value.positional) or _holds_token(value.keywords)
    if isinstance(value, dict):
        return any(map(_holds_token, value.values()))
    if isinstance(value, list):
        return any(map(_holds_token, value))
    return isinstance(value, str) and TOKEN_QUOTE in value


def _without_tokens(value: Any) -> Any:
    """The value with the halves of token pairs taken out of its strings."""
    if isinstance(value, CallArguments):
        return CallArguments(_without_tokens(value.positional), _without_tokens(value.keywords))
    if isinstance(value, dict):
        return {key: _without_tokens(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_tokens(item) for item in value]
    return value.replace(TOKEN_QUOTE, "") if isinstance(value, str) else value
