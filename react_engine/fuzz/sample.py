"""A written reply that knows where its parts stand, so that damage can be done to the right place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

PartKind = Literal["thought", "before", "calls", "call", "name", "body", "arguments", "argument", "after", "answer"]


class Part(NamedTuple):
    """A piece of a written reply: what it is, and where."""

    kind: PartKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sample:
    """A written reply and its parts, in order of their starts."""

    text: str
    parts: tuple[Part, ...] = ()

    def all(self, kind: PartKind) -> list[Part]:
        """The parts of a kind."""
        return [part for part in self.parts if part.kind == kind]

    def of(self, part: Part) -> str:
        """The text of a part."""
        return self.text[part.start : part.end]

    def replaced(self, start: int, end: int, new: str) -> Sample:
        """With other text in a range; parts around it grow or shrink, parts inside it go."""
        shift = len(new) - (end - start)
        parts = []
        for part in self.parts:
            if part.end <= start and not (part.start == part.end == start):
                parts.append(part)
            elif part.start >= end:
                parts.append(Part(part.kind, part.start + shift, part.end + shift))
            elif part.start <= start and part.end >= end:
                parts.append(Part(part.kind, part.start, part.end + shift))
        return Sample(self.text[:start] + new + self.text[end:], tuple(parts))

    def wrapped(self, before: str, after: str = "") -> Sample:
        """With text around it."""
        shift = len(before)
        return Sample(
            before + self.text + after, tuple(Part(p.kind, p.start + shift, p.end + shift) for p in self.parts)
        )


class Writer:
    """Puts a sample together piece by piece."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.parts: list[Part] = []
        self.length = 0

    def add(self, text: str) -> None:
        """Write text that is no part."""
        self.pieces.append(text)
        self.length += len(text)

    def add_part(self, kind: PartKind, text: str) -> None:
        """Write text that is one part."""
        start = self.length
        self.add(text)
        self.parts.append(Part(kind, start, self.length))

    def sample(self) -> Sample:
        """What was written."""
        return Sample("".join(self.pieces), tuple(sorted(self.parts, key=lambda part: (part.start, -part.end))))


HOLE = re.compile(r"\$(name|quoted|body|arguments|id|index0|index|key|value|type|text|thought|before|after|answer)")
"""What a form leaves open."""
