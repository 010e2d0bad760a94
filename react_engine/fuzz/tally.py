"""Counts of a run, by dialect and mutator, that can be added up across processes."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from react_engine.fuzz.cases import Case
from react_engine.fuzz.judge import WORST, Outcome, Read
from react_engine.fuzz.meaning import Survival

CLEAN = "as trained"
"""What a reply without any damage is listed under."""
_KEPT = 4
_BUCKETS = 8


@dataclass(slots=True)
class Failure:
    """One case that did not end well."""

    case: Case
    outcome: Outcome
    read: Read

    def as_json(self) -> dict[str, Any]:
        """The failure as a replayable case."""
        detail = self.read.error or self.read.violation
        got = {"calls": [call.as_json() for call in self.read.calls], "final": self.read.answer}
        return {**self.case.as_json(), "outcome": self.outcome, "got": got, **({"detail": detail} if detail else {})}


@dataclass(slots=True)
class Tally:
    """What came of many cases.

    ``cells`` counts (dialect, kind, outcome), once for every kind that a reply went through; ``outcomes`` counts
    (survival, outcome), once for each reply; ``times`` is a histogram, eight buckets to a factor of ten, ``costs``
    the replies and seconds by length. ``failures`` keeps a few of each (outcome, kind).
    """

    cells: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    times: Counter[int] = field(default_factory=Counter)
    costs: dict[int, list[float]] = field(default_factory=dict)
    seconds: float = 0.0
    characters: int = 0
    slowest: tuple[float, Case | None] = (0.0, None)
    failures: list[Failure] = field(default_factory=list)
    kept: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, case: Case, read: Read, outcome: Outcome) -> None:
        """Count one case."""
        survival = str(case.survival) if case.survival else "unknown"
        self.outcomes[survival, str(outcome)] += 1
        for kind in case.kinds or (CLEAN,):
            self.cells[case.dialect, kind, str(outcome)] += 1
        self.times[bucket(read.seconds)] += 1
        size = int(math.log2(len(case.text) + 1) * 2)
        cost = self.costs.setdefault(size, [0, 0, 0.0])
        cost[0] += 1
        cost[1] += len(case.text)
        cost[2] += read.seconds
        self.seconds += read.seconds
        self.characters += len(case.text)
        if read.seconds > self.slowest[0]:
            self.slowest = (read.seconds, case)
        if outcome is not Outcome.RIGHT:
            self._keep(Failure(case, outcome, read))

    def _keep(self, failure: Failure) -> None:
        key = (str(failure.outcome), "+".join(failure.case.kinds))
        limit = 3 * _KEPT if failure.outcome in WORST else _KEPT
        if self.kept[key] < limit:
            self.kept[key] += 1
            self.failures.append(failure)

    def merge(self, other: Tally) -> None:
        """Add what another process has counted."""
        self.cells.update(other.cells)
        self.outcomes.update(other.outcomes)
        self.times.update(other.times)
        for size, cost in other.costs.items():
            mine = self.costs.setdefault(size, [0, 0, 0.0])
            self.costs[size] = [a + b for a, b in zip(mine, cost, strict=True)]
        self.seconds += other.seconds
        self.characters += other.characters
        if other.slowest[0] > self.slowest[0]:
            self.slowest = other.slowest
        for failure in other.failures:
            self._keep(failure)

    @property
    def total(self) -> int:
        """How many replies there were."""
        return sum(self.outcomes.values())

    def count(self, *outcomes: Outcome, survival: Survival | None = None) -> int:
        """Replies with one of the outcomes, of one survival or of all."""
        return sum(
            number
            for (kind, outcome), number in self.outcomes.items()
            if outcome in outcomes and (survival is None or kind == survival)
        )

    def of(self, survival: Survival) -> int:
        """Replies of a survival."""
        return sum(number for (kind, _), number in self.outcomes.items() if kind == survival)

    def percentile(self, share: float) -> float:
        """The CPU seconds that this share of the replies stays under, to the edge of a bucket."""
        wanted, seen = share * sum(self.times.values()), 0
        for number in sorted(self.times):
            seen += self.times[number]
            if seen >= wanted:
                return edge(number + 1)
        return 0.0

    def rows(self, column: int) -> dict[str, Counter[str]]:
        """Outcomes by dialect (0) or by kind (1)."""
        found: dict[str, Counter[str]] = {}
        for cell, number in self.cells.items():
            found.setdefault(cell[column], Counter())[cell[2]] += number
        return found


def bucket(seconds: float) -> int:
    """The number of the bucket of a time."""
    return math.floor(math.log10(max(seconds, 1e-7)) * _BUCKETS)


def edge(number: int) -> float:
    """The lower edge of a bucket, in seconds."""
    return 10 ** (number / _BUCKETS)
