"""What the readers of call bodies share: the frame they read in, and where it closes."""

from __future__ import annotations

import re
from typing import NamedTuple

from react_engine.parsers.draft import Draft
from react_engine.parsers.markup import markup
from react_engine.parsers.openers import PACKAGING, Opener
from react_engine.types import Span


class Frame(NamedTuple):
    """A call's opener, where the next opener stands, and where the text ends."""

    opener: Opener
    limit: int
    end: int


class Body(NamedTuple):
    """What was used of a frame: the offset behind it."""

    end: int


def behind_closers(text: str, position: int, limit: int) -> int:
    """Behind the closing markers at ``position``, when nothing but packaging stands before them."""
    known, after = markup().closer, position
    while after < limit:
        packaging = PACKAGING.match(text, after, limit)
        at = packaging.end() if packaging else after
        closer = known.match(text, at, limit) if at < limit else None
        if closer is None:
            return after
        after = closer.end()
    return after


def next_closer(draft: Draft, position: int, limit: int) -> re.Match[str] | None:
    """The first closing marker in ``text[position:limit]``. What a search has found is kept for the next ones."""
    start, end, found = draft.closer
    if not (start <= position and limit <= end and (found is None or found.start() >= position)):
        found = markup().closer.search(draft.raw, position)
        draft.closer = (position, len(draft.raw), found)
    return found if found is not None and found.end() <= limit else None


def stands_alone(draft: Draft, frame: Frame, end: int) -> bool:
    """Whether a call whose marker also occurs in explanations is meant.

    Markup or a line's start stands before it, and nothing goes on behind it on its line.
    """
    text, start = draft.raw, frame.opener.start
    line_end = text.find("\n", end, min(end + 200, frame.end))
    behind = text[end : line_end if line_end != -1 else min(end + 200, frame.end)]
    if behind.strip(" \t\r`*<>/})]|") and behind.lstrip()[:1] != "<":
        return False
    before = text[max(0, start - 40) : start].rstrip(" \t")
    return not before or before[-1] in "\n>]｜|:：" or text[start - 1 : start] not in " `'\"("


def cut_off(draft: Draft, start: int, end: int) -> Body:
    """Report a call that ends before it is complete."""
    draft.problem(
        "truncated", "The call was cut off.", "Write the whole call again, shorter if need be.", Span(start, end)
    )
    return Body(end)


def unreadable(draft: Draft, what: str, start: int, end: int) -> Body:
    """Report a call that cannot be read."""
    draft.problem(
        "malformed-call", f"The call could not be read: {what}.", "Write it again, complete.", Span(start, end)
    )
    return Body(end)
