"""Records added up: one row for each variant and suite, and which tool was taken for which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from react_engine.compare.records import Record
from react_engine.compare.variants import Variant


@dataclass(frozen=True, slots=True)
class Row:
    """One variant on one suite. Shares are from 0 to 1; ``no_call`` is None where every task needs a tool.

    ``strict`` is the share done without a leaked call read in place: what the server's own parser would give.
    ``steps``, tokens and seconds are means of a task. ``cost`` is the sum in US dollars, None if unknown.
    """

    variant: Variant
    suite: str
    tasks: int
    done: float
    strict: float
    tool: float
    arguments: float
    no_call: float | None
    steps: float
    spare: int
    repairs: int
    format_errors: int
    tolerances: int
    prompt_tokens: float
    completion_tokens: float
    seconds: float
    cost: float | None


def rows(records: Sequence[Record]) -> list[Row]:
    """A row for each variant and suite, in the order of the records."""
    groups: dict[tuple[Variant, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record.variant, record.suite), []).append(record)
    return [_row(variant, suite, group) for (variant, suite), group in groups.items()]


def _row(variant: Variant, suite: str, group: Sequence[Record]) -> Row:
    idle = [record for record in group if not record.expected]
    busy = [record for record in group if record.expected]
    costs = [record.cost for record in group if record.cost is not None]
    return Row(
        variant,
        suite,
        len(group),
        done=_share(group, lambda record: record.done),
        strict=_share(group, lambda record: record.done and not record.leaked),
        tool=_share(busy, lambda record: record.tool),
        arguments=_share(busy, lambda record: record.arguments),
        no_call=_share(idle, lambda record: not record.calls) if idle else None,
        steps=_mean(group, lambda record: record.steps),
        spare=sum(record.spare for record in group),
        repairs=sum(record.repairs for record in group),
        format_errors=sum(record.format_error for record in group),
        tolerances=sum(record.tolerances for record in group),
        prompt_tokens=_mean(group, lambda record: record.prompt_tokens),
        completion_tokens=_mean(group, lambda record: record.completion_tokens),
        seconds=_mean(group, lambda record: record.seconds),
        cost=sum(costs) if costs else None,
    )


def _share(group: Sequence[Record], holds: Callable[[Record], bool]) -> float:
    return sum(map(holds, group)) / len(group) if group else 0.0


def _mean(group: Sequence[Record], value: Callable[[Record], float]) -> float:
    return sum(map(value, group)) / len(group) if group else 0.0


def confusion(records: Sequence[Record]) -> dict[str, Counter[str]]:
    """For each tool that a task needs first (``none`` for none) the tools that were called first."""
    table: dict[str, Counter[str]] = {}
    for record in records:
        wanted = record.expected or ("none",)
        meant = record.called if record.called in wanted else wanted[0]
        table.setdefault(meant, Counter())[record.called] += 1
    return dict(sorted(table.items()))


def winner(found: Sequence[Row], model: str) -> Row | None:
    """The variant of a model with the most tasks done over all suites, as one row; of equals the quicker one."""
    totals: dict[Variant, list[Row]] = {}
    for row in found:
        if row.variant.model == model:
            totals.setdefault(row.variant, []).append(row)
    if not totals:
        return None

    def merit(variant: Variant) -> tuple[float, float]:
        mine = totals[variant]
        tasks = sum(row.tasks for row in mine)
        return (
            sum(row.done * row.tasks for row in mine) / tasks,
            -sum(row.seconds * row.tasks for row in mine) / tasks,
        )

    best = max(totals, key=merit)
    done, seconds = merit(best)
    return replace(
        totals[best][0], suite="all", tasks=sum(row.tasks for row in totals[best]), done=done, seconds=-seconds
    )
