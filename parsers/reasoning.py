"""Where a reply only thinks: reasoning blocks, their missing openers and missing closers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from react_engine.types import Span

MARKERS: tuple[tuple[str, str], ...] = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<scratch_pad>", "</scratch_pad>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<seed:think>", "</seed:think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("<mm:think>", "</mm:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|thought_start|>", "<|thought_end|>"),
)
"""Pairs of markers around reasoning, over all known families."""


@dataclass(frozen=True, slots=True)
class Reasoning:
    """The thinking in a reply: ``blocks`` are the whole blocks with their markers, ``bodies`` what stands inside.

    ``open_at`` is the offset of a block that never closes, None if all do.
    """

    blocks: tuple[Span, ...] = ()
    bodies: tuple[Span, ...] = ()
    open_at: Span | None = None


def find_reasoning(text: str, start: int, end: int, markers: Sequence[tuple[str, str]] = MARKERS) -> Reasoning:
    """The reasoning blocks in ``text[start:end]``. A closer without an opener closes from the start on."""
    pattern, openers = _pattern(tuple(markers))
    blocks: list[Span] = []
    bodies: list[Span] = []
    opened: Span | None = None
    for match in pattern.finditer(text, start, end):
        if _is_quoted(text, match.start(), match.end()):
            continue
        if match[0].lower() in openers:
            opened = opened or Span(*match.span())
        elif opened is not None:
            blocks.append(Span(opened.start, match.end()))
            bodies.append(Span(opened.end, match.start()))
            opened = None
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
    return Reasoning(tuple(blocks), tuple(bodies), opened)


def _is_quoted(text: str, start: int, end: int) -> bool:
    """Whether a marker stands in backticks: it is talked about."""
    return text[start - 1 : start] == "`" == text[end : end + 1]


@lru_cache(maxsize=64)
def _pattern(markers: tuple[tuple[str, str], ...]) -> tuple[re.Pattern[str], frozenset[str]]:
    words = sorted({re.escape(word) for pair in markers for word in pair}, key=len, reverse=True)
    return re.compile("|".join(words), re.IGNORECASE), frozenset(opener.lower() for opener, _ in markers)
