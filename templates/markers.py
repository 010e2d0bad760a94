"""Text inside a dialect's frames: no marker of the dialect in it, so that it opens no call and ends no frame."""

from __future__ import annotations

import re
from functools import lru_cache

from react_engine.parsers.dialects import Dialect
from react_engine.parsers.dialects.record import marker_pattern
from react_engine.parsers.markup import markup
from react_engine.parsers.openers import find_openers
from react_engine.templates.neutralise import harmless, neutralise, shown, without_tokens

_BREAK = "·"
_PASSES = 3  # a marker that is broken may uncover one that was hidden in its call


def inert(text: str) -> str:
    """A text from outside (a tool's output, a thought), neutralised, in which no dialect sees a call. Linear."""
    text = neutralise(text)
    opener = markup().opener
    if opener.search(text) is None:
        return text
    for _ in range(_PASSES):
        found = find_openers(text, 0, len(text), _shown)
        if not found:
            return text
        pieces, position = [], 0
        for call in found:
            if (marker := opener.match(text, call.marker)) is not None:
                pieces += [text[position : call.marker], _broken(marker)]
                position = marker.end()
        text = "".join([*pieces, text[position:]])
    return opener.sub(_broken, text)


def _shown(_position: int) -> bool:
    """Nothing is hidden: what stands in a fence counts as well."""
    return False


def guarded(text: str, dialect: Dialect) -> str:
    """``inert``, and without the markers of this dialect, calls behind them or not."""
    return _without_markers(inert(text), dialect)


def guarded_answer(text: str, dialect: Dialect) -> str:
    """An answer of the model: control tokens and markers are made harmless, labels stay."""
    return _without_markers(without_tokens(text), dialect)


def holds_marker(text: str, dialect: Dialect) -> bool:
    """Whether a marker of the dialect stands in a text."""
    return _markers(dialect).search(text) is not None


def _without_markers(text: str, dialect: Dialect) -> str:
    markers = _markers(dialect)
    visible = shown(text)
    return text if markers.search(visible) is None else markers.sub(_broken, visible)


def _broken(marker: re.Match[str]) -> str:
    """A marker without its brackets; one that has none is broken by a dot in the middle of the line."""
    written = marker[0]
    plain = harmless(written)
    if plain != written:
        return plain
    if written.startswith("```"):  # a backtick that follows must not make three of two
        return f"`{_BREAK}`{_BREAK}`{written[3:]}"
    return f"{written[0]}{_BREAK}{written[1:]}"


@lru_cache(maxsize=128)
def _markers(dialect: Dialect) -> re.Pattern[str]:
    openers = [
        f"{marker_pattern(word)}(?:{dialect.head})" if _is_word(word) and dialect.head else marker_pattern(word)
        for word in dialect.openers
    ]
    pairs = [word for pair in (*dialect.reasoning, *dialect.channels) for word in pair if not _is_word(word)]
    words = [*dialect.closers, *dialect.results, *pairs]
    if dialect.writing is not None:
        written = dialect.writing.literal("call", "calls", "result", "results", "argument")
        words += [word for word in written if len(word) > 2 and not word[0].isalnum() and _is_frame(word)]
    patterns = sorted({*openers, *map(marker_pattern, words)}, key=len, reverse=True)
    return re.compile("|".join(re.sub(r"\(\?P<\w+>", "(?:", pattern) for pattern in patterns) or r"(?!)")


def _is_word(marker: str) -> bool:
    """Whether a marker is made of letters: it stands in ordinary text, too."""
    return marker.replace(" ", "").isalnum()


def _is_frame(word: str) -> bool:
    """Whether a piece of a pattern is markup rather than JSON."""
    return word[0] in "<[`]✿◁>-" and not set(word) <= set('[]{}",:')
