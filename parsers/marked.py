"""Calls behind markers: goes from opener to opener and lets the form of each body decide who reads it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from react_engine.parsers import elements, json_body, python_body, quoted_body, tags_body
from react_engine.parsers.body import Body, Frame, cut_off, next_closer
from react_engine.parsers.cues import SENTENCE, announces, goes_on, is_text, leads_on, speaks_of_marker
from react_engine.parsers.draft import Draft
from react_engine.parsers.markup import markup
from react_engine.parsers.openers import PACKAGING, Opener, find_openers
from react_engine.parsers.tokens import EDGES, SPACE
from react_engine.types import Span

__all__ = ["find_openers", "find_result", "is_empty_block", "read_marked", "without_markers"]

_LINE = 200

READERS: dict[str, Callable[[Draft, Frame], Body | None]] = {
    "json": json_body.read,
    "nothing": json_body.read_nothing,
    "words": json_body.read_words,
    "call": json_body.read_words,
    "tags": tags_body.read,
    "elements": elements.read,
    "quoted": quoted_body.read,
    "python": python_body.read,
}
"""Who reads a body. Each returns what it used, or None when there is no call after all."""


def read_marked(draft: Draft, start: int, end: int, openers: list[Opener], *, results: bool = True) -> bool:
    """Read the calls behind ``openers`` into ``draft``; the rest of ``text[start:end]`` is visible text.

    False, with nothing read, when none of them turned out to be a call. ``results``: the model may have written some.
    """
    text, known = draft.raw, markup()
    invented = known.result.search(text, openers[0].body, end) if results else None
    position, found = start, False
    for number, opener in enumerate(openers):
        if opener.start < position:
            continue  # inside the arguments of the call before
        if invented is not None and invented.start() < opener.start:
            break
        if draft.is_full():
            break
        limit = openers[number + 1].start if number + 1 < len(openers) else end
        if (told := _in_a_sentence(draft, opener, limit, end)) == "cut":
            position, found = cut_off(draft, opener.start, end).end, True
            break
        if told:
            continue
        before, dialect = position, draft.dialect
        draft.dialect = dialect or opener.dialect.name
        body = READERS[opener.kind](draft, Frame(opener, limit, end))
        if body is None:
            draft.dialect = dialect
            continue
        found = True
        _visible(draft, before, opener.start)
        position = body.end
        while invented is not None and invented.start() < position:  # a marker inside an argument is data
            invented = known.result.search(text, position, end)
    if not found:
        return False
    if invented is not None and invented.start() >= position:
        draft.invented = Span(invented.start(), len(text))
        end = invented.start()
    _visible(draft, position, end)
    draft.truncated = draft.truncated or (draft.cut and not text[position:end].isspace() and position < end)
    return True


def _in_a_sentence(draft: Draft, opener: Opener, limit: int, end: int) -> Literal["", "told", "cut"]:
    """Whether a marker stands inside a sentence that goes on behind its block: then it is talked about.

    ``"cut"``: the sentence may go on, but a limit ended it.
    """
    text = draft.raw
    if text[max(0, opener.start - 1) : opener.start] == "\n":
        return _between_words(draft, opener, limit)
    if _INLINE_CODE.search(text, max(0, opener.start - 200), opener.start):
        return _in_inline_code(draft, opener, limit, end)
    if text[max(0, opener.start - 1) : opener.start] not in _BEFORE:
        return ""
    logged = _LOG_LINE.search(text, max(0, opener.start - 80), opener.start) is not None
    if not logged and not _WORD_BEFORE.search(text, max(0, opener.start - 4), opener.start):
        return ""
    closer = next_closer(draft, opener.body, limit)
    if logged and closer is not None and text[closer.end() : limit].strip():
        return "told"
    after = closer.end() if closer is not None else limit
    line = text[after : min(limit, after + 400)].split("\n", 1)[0]
    if draft.cut and after + len(line) >= len(text):
        return "cut"
    return "told" if closer is not None and _SENTENCE_GOES_ON.match(line) else ""


def _between_words(draft: Draft, opener: Opener, limit: int) -> Literal["", "told"]:
    """Whether a block on lines of its own is the middle of a sentence which does not say that the model acts, or a sample."""
    before = draft.raw[max(0, opener.start - SENTENCE) : opener.start]
    announced = announces(before)
    if not announced and not leads_on(before):
        return ""
    closer = next_closer(draft, opener.body, limit)
    if announced:
        after = closer.end() if closer is not None else draft.raw.find("\n", opener.body, limit)
        return "told" if after != -1 and is_text(draft.raw, after, limit) else ""
    return "told" if closer is not None and goes_on(draft.raw, closer.end()) else ""


def _in_inline_code(draft: Draft, opener: Opener, limit: int, end: int) -> Literal["", "told", "cut"]:
    """Whether a block in backticks is quoted: something stands behind it on its line."""
    text = draft.raw
    closer = next_closer(draft, opener.body, limit)
    after = closer.end() if closer is not None else opener.body
    tick = text.find("`", after, min(end, after + 2 * _LINE))
    inside = text[after:tick].rstrip()
    if tick == -1 or not (_ends_a_block(inside) if closer is None else not without_markers(inside).strip()):
        return "cut" if draft.cut and limit >= len(text) else ""
    behind = text[tick + 1 : min(end, tick + _LINE)].split("\n", 1)[0]
    if not behind.strip():
        return "cut" if draft.cut and tick + 1 + len(behind) >= len(text) else ""
    return "told"


def _ends_a_block(written: str) -> bool:
    """Whether a line of arguments that no marker closes has come to its end."""
    return written.endswith((")", "]", "}", ">")) and "\n" not in written


_BEFORE = ("`", " ", "(", '"', "“")
"""What one of the next two can end in."""
_LOG_LINE = re.compile(
    r"(?:\A|\n)[^\n]{0,40}\b(?:\d\d:\d\d(?::\d\d)?|DEBUG|INFO|WARN(?:ING)?|ERROR|TRACE)\b[^\n]{0,40}\Z"
)
_INLINE_CODE = re.compile(r"(?<!`)`(?:<[|｜][^<>|｜\n]{1,60}[|｜]>){0,3}\Z")
_WORD_BEFORE = re.compile(r"[a-z][,:]? \Z|[a-z],? [(\"“]\Z")
_SENTENCE_GOES_ON = re.compile(r"[)\"”]?,? [a-z]{1,20}[ ,][^\n]{1,400}[.!?:]")


def find_result(text: str, start: int, end: int) -> int | None:
    """Where, at the start of a line, the model begins to write a result or somebody else's turn."""
    for match in markup().result.finditer(text, start, end):
        seen = max(start, match.start() - _LINE)
        line = text.rfind("\n", seen, match.start())
        if line == -1 and seen > start:
            continue
        if not text[max(line + 1, seen) : match.start()].strip():
            return match.start()
    return None


def is_empty_block(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` is one block between markers, with nothing call-like in it."""
    known = markup()
    opener = known.opener.match(text, start, end)
    if opener is None:
        return False
    return known.closer.fullmatch(text, max(opener.end(), text.rfind("<", start, end)), end) is not None


def begins_unfinished(text: str, start: int, end: int) -> bool:
    """Whether the text begins with markers of a call and goes on with no call, nor with a sentence about them."""
    known, position = markup(), start
    words = None
    while position < end:
        gap = PACKAGING.match(text, position, end)
        at = gap.end() if gap else position
        marker = known.opener.match(text, at, end) or known.beginning.match(text, at, end)
        if marker is None:
            break
        words, position = marker[0], marker.end()
    if words is None or speaks_of_marker(text, position):
        return False
    return words[:2] in ("<|", "<｜") or len(text[position : position + 120].split("\n", 1)[0].split()) < 4


def without_markers(text: str) -> str:
    """The text without markers that are no text."""
    return markup().chrome.sub("", text)


def _visible(draft: Draft, start: int, end: int) -> None:
    text = draft.raw[start:end]
    if not text or text.isspace():
        return
    known = markup()
    text = known.opener.sub("", known.chrome.sub("", text)).strip()
    if text.strip("`<>" + EDGES) and SPACE.fullmatch(text) is None:
        draft.visible.append(text)
