"""The figures of a run as plain data: what ``--json`` prints, and what the report and the table are made from."""

from __future__ import annotations

import platform
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from react_engine import __version__
from react_engine.fuzz.growth import Curve
from react_engine.fuzz.judge import Outcome
from react_engine.fuzz.meaning import Survival
from react_engine.fuzz.run import Plan
from react_engine.fuzz.tally import Tally


@dataclass(frozen=True, slots=True)
class Side:
    """One parser beside others, on the same replies: of all dialects, and of those that it says it reads."""

    name: str
    versions: dict[str, str]
    everything: Tally
    reads: tuple[str, ...] = ()
    claimed: Tally | None = None
    reader: Tally | None = None
    """The engine's reader on the replies of ``claimed``."""
    curves: list[Curve] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Results:
    """Everything that one command has found out."""

    plan: Plan
    tally: Tally
    seconds: float
    curves: list[Curve] = field(default_factory=list)
    sides: list[Side] = field(default_factory=list)
    title: str = "react-engine reader"


def figures(tally: Tally) -> dict[str, Any]:
    """The figures of some replies."""
    judged = tally.of(Survival.RECOVER)
    recovered = tally.count(Outcome.RIGHT, survival=Survival.RECOVER)
    refusing, either = tally.of(Survival.REFUSE), tally.of(Survival.EITHER)
    return {
        "replies": tally.total,
        "survivable": judged,
        "recovered": recovered,
        "recovered_percent": percent(recovered, judged),
        "missed": tally.count(Outcome.MISSED),
        "partial": tally.count(Outcome.PARTIAL),
        "wrong": tally.count(Outcome.WRONG),
        "wrong_in_10000": round(10_000 * tally.count(Outcome.WRONG) / max(1, judged + either), 2),
        "without_call": refusing,
        "invented": tally.count(Outcome.INVENTED),
        "refused_percent": percent(refusing - tally.count(Outcome.INVENTED), refusing),
        "text": tally.count(Outcome.TEXT),
        "crash": tally.count(Outcome.CRASH),
        "broken": tally.count(Outcome.BROKEN),
        "timeout": tally.count(Outcome.TIMEOUT),
        "either": either,
        "free": tally.of(Survival.FREE),
        "unknown": sum(number for (survival, _), number in tally.outcomes.items() if survival == "unknown"),
        "cpu_microseconds": {
            "mean": round(1e6 * tally.seconds / max(1, tally.total), 1),
            "p50": round(1e6 * tally.percentile(0.5), 1),
            "p90": round(1e6 * tally.percentile(0.9), 1),
            "p99": round(1e6 * tally.percentile(0.99), 1),
            "slowest": round(1e6 * tally.slowest[0], 1),
        },
        "cpu_seconds_per_megabyte": round(1e6 * tally.seconds / max(1, tally.characters), 3),
    }


def percent(part: int, whole: int) -> float | None:
    """A share in percent, or None of nothing."""
    return round(100 * part / whole, 2) if whole else None


def by(tally: Tally, column: int) -> dict[str, dict[str, int]]:
    """Outcomes by dialect (0) or kind (1), in the order of their names."""
    return {name: dict(counts) for name, counts in sorted(tally.rows(column).items())}


def bad(counts: Counter[str] | dict[str, int]) -> int:
    """How many of some outcomes are not right; a slip in the answer's text is not counted."""
    return sum(number for outcome, number in counts.items() if outcome not in (Outcome.RIGHT, Outcome.TEXT))


def as_data(results: Results) -> dict[str, Any]:
    """All of it as JSON."""
    slowest = results.tally.slowest[1]
    return {
        "parser": results.plan.parser or "react_engine.read",
        "version": __version__,
        "python": platform.python_version(),
        "seed": results.plan.seed,
        "seconds": round(results.seconds, 1),
        "jobs": results.plan.jobs,
        **figures(results.tally),
        "slowest": slowest.as_json() if slowest is not None and len(slowest.text) < 5000 else None,
        "by_dialect": by(results.tally, 0),
        "by_kind": by(results.tally, 1),
        "growth": [
            {"shape": c.name, "exponent": c.exponent, "points": list(c.points), "stopped": c.stopped}
            for c in results.curves
        ],
        "against": [
            {
                "name": side.name,
                "versions": side.versions,
                "all": figures(side.everything),
                "reads": list(side.reads),
                "on_what_it_reads": figures(side.claimed) if side.claimed else None,
                "reader_on_the_same": figures(side.reader) if side.reader else None,
            }
            for side in results.sides
        ],
        "failures": [failure.as_json() for failure in results.tally.failures[:200]],
    }
