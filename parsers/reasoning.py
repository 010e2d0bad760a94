"""Where a reply only thinks: reasoning blocks, their missing openers and missing closers."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from react_engine.parsers.control import PLAIN_REASONING
from react_engine.parsers.dialects import added_records, all_records, version
from react_engine.parsers.dialects.registry import RECORDS
from react_engine.parsers.literals import read_strict
from react_engine.parsers.markup import in_any_case, markup, words_of
from react_engine.parsers.tokens import behind
from react_engine.types import Span

_BLANK = re.compile(r"\s*")


def _shipped() -> tuple[tuple[str, str], ...]:
    pairs = [pair for record in RECORDS for pair in record.reasoning if "*" not in pair[0]]
    return tuple(dict.fromkeys([*pairs, *PLAIN_REASONING]))


MARKERS: tuple[tuple[str, str], ...] = _shipped()
"""Pairs of markers around reasoning, over all known families."""


class Reasoning(NamedTuple):
    """The thinking in a reply: ``blocks`` are the whole blocks with their markers, ``bodies`` what stands inside.

    ``open_at`` is the offset of a block that never closes, None if all do.
    """

    blocks: tuple[Span, ...] = ()
    bodies: tuple[Span, ...] = ()
    open_at: Span | None = None


def find_reasoning(text: str, start: int, end: int, markers: Sequence[tuple[str, str]] = MARKERS) -> Reasoning:
    """The reasoning blocks in ``text[start:end]``. A closer without an opener closes from the start on."""
    known = _shipped_known(version()) if markers is MARKERS else _known(tuple(markers), version())
    if known.any.search(text, start, end) is None:
        return Reasoning()
    blocks: list[Span] = []
    bodies: list[Span] = []
    opened: Span | None = None
    first = behind(_BLANK, text, start, end)
    position, seen = start, first
    while (match := known.pattern.search(text, position, end)) is not None:
        position = match.end()
        if _is_quoted(text, match.start(), match.end()):
            continue
        if match.lastgroup == "channel":
            closer = known.channels[match[0]]
            opens = opened is None and (
                match[0][0] in "<[" or match.start() == first
            )  # words open one at the start only
            close = text.find(closer, match.end(), end) if opens else -1
            if close != -1:
                blocks.append(Span(match.start(), close + len(closer)))
                bodies.append(Span(match.end(), close))
                position = close + len(closer)
            elif opens:
                opened = Span(*match.span())
        elif match.lastgroup == "open":
            opened = opened or Span(*match.span())
        elif opened is not None:
            blocks.append(Span(opened.start, match.end()))
            bodies.append(Span(opened.end, match.start()))
            opened = None
        elif not blocks and (behind_call := _end_of_arguments(text, seen, match, end)):
            position = seen = behind_call
        elif not blocks:
            blocks.append(Span(start, match.end()))
            bodies.append(Span(start, match.start()))
        else:  # a stray closer
            blocks.append(Span(*match.span()))
            bodies.append(Span(match.end(), match.end()))
    if opened is not None and not text[opened.end : end].strip():
        blocks.append(Span(opened.start, end))  # an opener at the very end adds nothing
        bodies.append(Span(end, end))
        opened = None
    if opened is not None and blocks and _PROSE_AROUND.match(text[opened.end : opened.end + 40]):
        line = text.rfind("\n", start, opened.start) + 1
        if text[max(line, blocks[-1].end) : opened.start].strip():
            opened = None  # thought was given already, and this one is talked about
    return Reasoning(tuple(blocks), tuple(bodies), opened)


_PROSE_AROUND = re.compile(r"[ ,.;:!?)][ ]?[a-z]")


def _end_of_arguments(text: str, start: int, closer: re.Match[str], end: int) -> int:
    """Where the arguments of a call end in a string of which a closer stands that nothing opened; 0 if in none."""
    openers = deque(markup().opener.finditer(text, start, closer.start()), maxlen=1)
    begin = text.find("{", openers[0].end(), min(closer.start(), openers[0].end() + 200)) if openers else start
    if begin == -1 or not text.startswith("{", begin, closer.start()):
        return 0
    value = read_strict(text, begin, end)
    return value.end if value is not None and value.end > closer.end() else 0


def leading_channel_end(text: str, start: int, end: int) -> int:
    """Behind the closer of a channel of reasoning that the reply begins with: that closer ends no turn."""
    known = _shipped_known(version())
    match = known.pattern.match(text, start, end)
    if match is None or match.lastgroup != "channel":
        return start
    closer = known.channels[match[0]]
    close = text.find(closer, match.end(), end)
    return close + len(closer) if close != -1 else start


def _is_quoted(text: str, start: int, end: int) -> bool:
    """Whether a marker stands in backticks: it is talked about."""
    return text[start - 1 : start] == "`" == text[end : end + 1]


@dataclass(frozen=True)
class _Known:
    """``any`` finds quickly whether there is a marker at all."""

    any: re.Pattern[str]
    pattern: re.Pattern[str]
    channels: Mapping[str, str]


@lru_cache(maxsize=16)
def _shipped_known(number: Hashable) -> _Known:
    """The same for the shipped markers: looked up without a look at each."""
    return _known(MARKERS, number)


@lru_cache(maxsize=64)
def _known(markers: tuple[tuple[str, str], ...], _version: Hashable) -> _Known:
    """The markers as one pattern: those given, those that vary by checkpoint, and the channels of all dialects."""
    records = all_records()
    varying = [pair for record in records for pair in record.reasoning if "*" in pair[0]]
    added = [pair for record in added_records() for pair in record.reasoning]
    pairs = [*markers, *varying, *added]
    channels = {opener: closer for record in records for opener, closer in record.channels}
    groups = {
        "channel": words_of(channels),
        "open": words_of(opener for opener, _ in pairs),
        "close": words_of(closer for _, closer in pairs),
    }
    both = "|".join(
        f"(?P<{name}>{pattern if name == 'channel' else f'(?i:{pattern})'})" for name, pattern in groups.items()
    )
    every = [word for pair in (*pairs, *channels.items()) for word in pair]
    return _Known(re.compile(in_any_case(every)), re.compile(both), channels)
