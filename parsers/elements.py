"""Bodies of nested elements: each parameter a tag of its own name."""

from __future__ import annotations

import re

from react_engine.parsers.body import Body, Frame, behind_closers, cut_off, stands_alone, unreadable
from react_engine.parsers.draft import Draft
from react_engine.parsers.element_tree import Elements, Unclosed
from react_engine.parsers.objects import CallIntent
from react_engine.parsers.tags_body import LIKE_ARGUMENT
from react_engine.types import Span

LEFT_OVER = re.compile(rf"\s*+(?:{LIKE_ARGUMENT.pattern}|<[ ]?(?P<key>[\w.-]{{1,128}})[^<>]{{0,160}}>)")
"""A tag behind the last element that would be lost with its value: an argument in another form."""


def read(draft: Draft, frame: Frame) -> Body | None:
    """The call whose arguments are elements from the opener's body on."""
    opener, text = frame.opener, draft.raw
    name = draft.index.resolve(opener.name)
    own = opener.dialect.self_named or not opener.dialect.elements  # tags without a prefix may be any markup
    if own and name.kind != "known":
        return None
    shape = draft.index[name.name].shape if name.kind == "known" else None
    try:
        values, position = Elements(text, frame.end, opener.dialect.elements or "").members(opener.body, shape)
    except Unclosed as error:
        if draft.cut:
            return cut_off(draft, opener.start, frame.end)
        return unreadable(draft, f"<{error}> is not closed", opener.start, frame.limit)
    rest = LEFT_OVER.match(text, position, frame.end)
    if rest is not None and (rest["key"] is None or (shape is not None and rest["key"] in shape.properties)):
        return unreadable(draft, "a tag in it belongs to no argument", opener.start, frame.limit)
    after = behind_closers(text, position, frame.end)
    if after == position and draft.cut:
        return cut_off(draft, opener.start, frame.end)
    if own and not stands_alone(draft, frame, after):
        return None
    draft.call_from(CallIntent(opener.name, values, opener.id), Span(opener.start, after), marked=True)
    return Body(after)
