"""The figures of a run as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from react_engine.fuzz.judge import Outcome
from react_engine.fuzz.summary import Results, bad, figures

_SHOWN = 12


def table(results: Results) -> Iterator[str]:
    """The lines: the whole, times, the worst mutators and dialects, other parsers, growth."""
    data = figures(results.tally)
    yield f"{results.title}: {data['replies']:,} replies, seed {results.plan.seed}, {results.seconds:.1f} s"
    yield ""
    yield f"  survivable        {data['survivable']:>9,}   recovered {data['recovered_percent']} %, missed {data['missed']:,}, partly read {data['partial']:,}"
    yield f"  wrong calls       {data['wrong']:>9,}   {data['wrong_in_10000']} in 10,000"
    yield f"  without a call    {data['without_call']:>9,}   invented {data['invented']:,}, answer not as it should be {data['text']:,}"
    yield f"  either is right   {data['either']:>9,}"
    yield f"  meaning unknown   {data['free'] + data['unknown']:>9,}   only the contract was checked"
    yield f"  crashes           {data['crash']:>9,}   broken contracts {data['broken']:,}, timeouts {data['timeout']:,}"
    times = data["cpu_microseconds"]
    yield (
        f"  CPU, µs           {times['mean']:>9}   median {times['p50']}, 90 % {times['p90']}, 99 % {times['p99']}, "
        f"slowest {times['slowest']}; {data['cpu_seconds_per_megabyte']} s/MB"
    )
    yield from _worst("mutator", results.tally.rows(1))
    yield from _worst("dialect", results.tally.rows(0))
    yield from _sides(results)
    for curve in results.curves:
        slope = "-" if curve.exponent is None else f"{curve.exponent:.2f}"
        yield f"  growth {slope:>5}  {curve.per_megabyte:8.2f} s/MB  {curve.name} {curve.stopped}"


def _worst(what: str, rows: dict[str, Any]) -> Iterator[str]:
    ordered = sorted(rows.items(), key=lambda item: -bad(item[1]) / sum(item[1].values()))
    shown = [(name, counts) for name, counts in ordered if bad(counts)][:_SHOWN]
    if shown:
        yield ""
        yield f"  {what:34} replies   right  " + "".join(f"{outcome:>9}" for outcome in _COLUMNS)
    for name, counts in shown:
        whole = sum(counts.values())
        right = 100 * (whole - bad(counts)) / whole
        yield f"  {name:34} {whole:7,} {right:6.2f}%  " + "".join(
            f"{counts.get(outcome, 0) or '·':>9}" for outcome in _COLUMNS
        )


_COLUMNS = (
    Outcome.MISSED, Outcome.PARTIAL, Outcome.WRONG, Outcome.INVENTED, Outcome.BROKEN, Outcome.CRASH, Outcome.TIMEOUT,
)  # fmt: skip


def _sides(results: Results) -> Iterator[str]:
    if not results.sides:
        return
    yield ""
    yield f"  {'side by side':34} replies  recovered  wrong  invented  crash  timeout  median µs"
    for side in results.sides:
        versions = ", ".join(f"{name} {version}" for name, version in side.versions.items())
        for name, tally in (
            (f"{side.name}, what it reads", side.claimed),
            ("  the reader, the same", side.reader),
            (f"  {side.name}, all dialects", side.everything),
        ):
            if tally is None:
                continue
            data = figures(tally)
            yield (
                f"  {name:34} {data['replies']:7,} {data['recovered_percent']:9} % {data['wrong']:6} {data['invented']:9} "
                f"{data['crash']:6} {data['timeout']:8} {data['cpu_microseconds']['p50']:10}"
            )
        yield f"    {versions}; reads {', '.join(side.reads)}"
