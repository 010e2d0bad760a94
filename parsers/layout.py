"""A text in numbered rows with what is marked in it below each: folded, aligned, long stretches left out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from react_engine.parsers.visible import columns, visible
from react_engine.types import Span

Kind = Literal["call", "tolerance", "lossy", "problem", "invented"]

_TAB = "    "
_SHOWN_WHOLE = 60  # texts of so many rows are shown without gaps
_LABELS = 12  # rows of marks below one row of text


@dataclass(frozen=True, slots=True)
class Mark:
    """One span of the raw text with what it is."""

    kind: Kind
    span: Span
    label: str


@dataclass(frozen=True, slots=True)
class Row:
    """One row. ``number`` is that of the line that begins here; ``styles`` are ranges of ``text`` with their kinds."""

    text: str
    number: int | None = None
    styles: tuple[tuple[int, int, Kind], ...] = ()


def rows(text: str, marks: Iterable[Mark], width: int = 100) -> Iterator[Row]:
    """The rows of ``text``, each at most ``width`` columns wide, and below each the marks that begin in it.

    Spans that do not lie in the text are taken as far as they do.
    """
    whole = sorted((_inside(mark, len(text)) for mark in marks), key=lambda mark: (mark.span.start, -mark.span.end))
    pieces, places = list(_pieces(text, max(width, 8))), Places(text)
    starts = [piece.start for piece in pieces]
    begun: dict[int, list[Mark]] = {}
    shown = _ends(len(pieces))
    for mark in whole:
        first = bisect_right(starts, mark.span.start) - 1
        begun.setdefault(first, []).append(mark)
        for last in (first, bisect_right(starts, max(mark.span.start, mark.span.end - 1)) - 1):
            shown.update(range(max(0, last - 1), min(len(pieces), last + 2)))
    position, live, waiting = 0, list[Mark](), iter((*whole, None))
    following = next(waiting)
    for number in sorted(shown) if len(pieces) > _SHOWN_WHOLE else range(len(pieces)):
        piece = pieces[number]
        if piece.start - position > 1:
            yield Row(f"… {piece.start - position} characters …")
        position = piece.end
        while following is not None and following.span.start < piece.end:
            live, following = [*live, following], next(waiting)
        live = [mark for mark in live if mark.span.end > piece.start]
        cells = _Cells(text[piece.start : piece.end])
        yield Row(cells.text, piece.number, tuple(_styles(piece, cells, live)))
        yield from _mark_rows(places, piece, cells, begun.get(number, ()))


@dataclass(frozen=True, slots=True)
class _Piece:
    """A line, or as much of one as fits into a row; ``number`` only where the line begins."""

    number: int | None
    start: int
    end: int


class _Cells:
    """A piece as it is shown, with the place of each of its characters in the shown text and on the screen."""

    def __init__(self, raw: str) -> None:
        self.text = visible(raw).replace("\t", _TAB)
        if raw.isascii() and "\t" not in raw:
            self.places: Sequence[int] = range(len(raw) + 1)
            self.columns: Sequence[int] = self.places
        else:
            self.places = [0, *accumulate(len(_TAB) if char == "\t" else 1 for char in raw)]
            self.columns = [0, *accumulate(map(_columns, raw))]


def _columns(char: str) -> int:
    return len(_TAB) if char == "\t" else columns(char)


def _pieces(text: str, room: int) -> Iterator[_Piece]:
    start = 0
    for number, line in enumerate(text.split("\n"), 1):
        at, first = 0, True
        while first or at < len(line):
            end = _fitting(line, at, room)
            yield _Piece(number if first else None, start + at, start + end)
            at, first = end, False
        start += len(line) + 1


def _fitting(line: str, start: int, room: int) -> int:
    """How far a row goes that begins at ``start``: one character at least."""
    plain = line[start : start + room]
    if plain.isascii() and "\t" not in plain:
        return start + len(plain)
    used, end = 0, start
    while end < min(len(line), start + 4 * room) and (end == start or used + _columns(line[end]) <= room):
        used += _columns(line[end])
        end += 1
    return end


def _ends(count: int) -> set[int]:
    return {*range(min(2, count)), *range(max(0, count - 2), count)}


def _inside(mark: Mark, length: int) -> Mark:
    start = min(max(mark.span.start, 0), length)
    return Mark(mark.kind, Span(start, min(max(mark.span.end, start), length)), mark.label)


def _styles(piece: _Piece, cells: _Cells, live: list[Mark]) -> Iterator[tuple[int, int, Kind]]:
    for mark in live:
        start, end = max(mark.span.start, piece.start), min(mark.span.end, piece.end)
        if start < end:
            yield cells.places[start - piece.start], cells.places[end - piece.start], mark.kind


def _mark_rows(places: Places, piece: _Piece, cells: _Cells, begun: Sequence[Mark]) -> Iterator[Row]:
    """A row for each label: its places underlined, how often it stands there, and where the last of them ends."""
    by_label: dict[tuple[Kind, str], list[Span]] = {}
    for mark in begun:
        by_label.setdefault((mark.kind, mark.label), []).append(mark.span)
    for (kind, label), spans in list(by_label.items())[:_LABELS]:
        line = [" "] * (cells.columns[-1] + 1)
        for span in spans:
            first = cells.columns[span.start - piece.start]
            last = max(first + 1, cells.columns[min(span.end, piece.end) - piece.start])
            line[first:last] = ("~" if span.end > span.start else "^") * (last - first)
        times = f" ×{len(spans)}" if len(spans) > 1 else ""
        end = max(span.end for span in spans)
        beyond = f" (to {places(end - 1)})" if end > piece.end + 1 else ""
        underlined = "".join(line).rstrip()
        yield Row(f"{underlined} {visible(label)}{times}{beyond}", styles=((0, len(underlined), kind),))
    if len(by_label) > _LABELS:
        yield Row(f"… and {len(by_label) - _LABELS} more marks")


class Places:
    """Offsets into a text as ``line:column``, both from 1."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def __call__(self, offset: int) -> str:
        line = bisect_right(self._starts, max(offset, 0))
        return f"{line}:{max(offset, 0) - self._starts[line - 1] + 1}"
