"""What must hold of every reading of every text, whatever the text is."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from react_engine.parsers.index import ToolIndex
from react_engine.parsers.reader import read
from react_engine.parsers.reasoning import MARKERS
from react_engine.parsers.stream import Reader, Shown
from react_engine.types import Reading, Span

_PIECES = (1, 2, 3, 7, 40, 1000)


def violation(text: str, index: ToolIndex, finish: str | None, reading: Reading, rng: Random | None) -> str:
    """What a reading violates, in words, or nothing. With ``rng`` a stream in pieces of some size is compared."""
    if not (reading.calls or reading.answer is not None or reading.problems):
        return "nothing was read, and nothing said about it"
    for span in spans(reading):
        if not 0 <= span.start <= span.end <= len(text):
            return f"the span {tuple(span)} is not in the text"
    for call in reading.calls:
        if call.span is not None and call.raw and call.raw != text[call.span.start : call.span.end]:
            return f"the raw text of {call.name} is not what stands at its span"
    return _streamed(text, index, finish, reading, rng.choice(_PIECES)) if rng is not None else ""


def _streamed(text: str, index: ToolIndex, finish: str | None, reading: Reading, size: int) -> str:
    reader, shown = Reader(index), ""
    for start in range(0, len(text), size):
        pieces = [piece for piece in reader.feed(text[start : start + size]) if isinstance(piece, Shown)]
        shown += "".join(piece.text for piece in pieces if piece.kind == "answer")
    again = reader.close(finish)
    if again != reading:
        return f"a stream in pieces of {size} is read differently: {_difference(reading, again)}"
    # A closer without an opener makes thought of all before it, shown or not.
    if shown and not any(closer in text for _, closer in MARKERS):
        if reading.calls or not (reading.answer or "").startswith(shown):
            return f"a stream in pieces of {size} shows as the answer what is none: {shown[:80]!r}"
    return ""


def _difference(one: Reading, other: Reading) -> str:
    fields = [name for name in Reading.__dataclass_fields__ if getattr(one, name) != getattr(other, name)]
    return ", ".join(fields)


def split_anywhere(text: str, index: ToolIndex, finish: str | None = None) -> str:
    """What two pieces, split at any place, or single characters change. Quadratic: for short texts."""
    reading = read(text, index, finish_reason=finish)
    for at in range(len(text) + 1):
        reader = Reader(index)
        reader.feed(text[:at])
        reader.feed(text[at:])
        if reader.close(finish) != reading:
            return f"split at {at} it is read differently"
    return _streamed(text, index, finish, reading, 1)


def spans(reading: Reading) -> Iterator[Span]:
    """Every span that a reading holds."""
    for call in reading.calls:
        yield from ([call.span] if call.span else [])
        yield from (tolerance.span for tolerance in call.tolerances)
    yield from (tolerance.span for tolerance in reading.tolerances)
    yield from (problem.span for problem in reading.problems if problem.span)
    yield from ([reading.invented] if reading.invented else [])
