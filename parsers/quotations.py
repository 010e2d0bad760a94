"""Stretches of a text in which markers and labels are quotations."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable


class Quotations:
    """Says of a position whether it lies inside one of some stretches (start, end), which do not overlap."""

    def __init__(self, stretches: Iterable[tuple[int, int]] = ()) -> None:
        ordered = sorted(stretches)
        self._starts = [start for start, _ in ordered]
        self._ends = [end for _, end in ordered]

    def __call__(self, position: int) -> bool:
        """Whether a position is hidden."""
        number = bisect_right(self._starts, position) - 1
        return number >= 0 and position < self._ends[number]
