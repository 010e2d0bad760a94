"""Runs many cases, in one process or several, and adds up what came of them."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from multiprocessing import get_context

from react_engine.fuzz.cases import Case, make_case
from react_engine.fuzz.judge import WORST, judge
from react_engine.fuzz.parsers import Parser, parser_of
from react_engine.fuzz.shrink import shrunk
from react_engine.fuzz.tally import Tally

BATCH = 250
"""Replies that a process reads before it reports."""

_SHRINKING = 30.0
"""Seconds after which no further failure is shortened."""

Progress = Callable[[Tally], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: so many replies of a seed, for so many seconds at most, in so many processes.

    ``parser`` is empty for the reader, or names a function (``parser_of``).
    """

    seed: int = 0
    replies: int | None = 10_000
    seconds: float | None = None
    jobs: int = 1
    parser: str = ""
    dialects: tuple[str, ...] = ()
    mutators: tuple[str, ...] = ()


@dataclass(slots=True)
class Ended:
    """A run that is over: its counts and its time on the clock."""

    tally: Tally = field(default_factory=Tally)
    seconds: float = 0.0


def run(plan: Plan, progress: Progress = lambda _tally: None) -> Ended:
    """Everything that a plan asks for. ``progress`` is called with the counts so far."""
    began = time.monotonic()
    ended = Ended()
    deadline = None if plan.seconds is None else began + plan.seconds
    for tally in _batches(plan, deadline):
        ended.tally.merge(tally)
        progress(ended.tally)
    parser = parser_of(plan.parser)
    enough = time.monotonic() + _SHRINKING
    for failure in ended.tally.failures:
        if failure.outcome in WORST and time.monotonic() < enough:
            failure.case = shrunk(failure.case, parser, failure.outcome)
            failure.read = parser(failure.case)
    ended.seconds = time.monotonic() - began
    return ended


def run_cases(cases: Sequence[Case], parser: Parser, progress: Progress = lambda _tally: None) -> Tally:
    """Given cases, here and now."""
    tally = Tally()
    for number, case in enumerate(cases):
        read = parser(case)
        tally.add(case, read, judge(case, read))
        if number % BATCH == 0:
            progress(tally)
    progress(tally)
    return tally


def batch(plan: Plan, start: int, count: int) -> Tally:
    """So many replies from a number on."""
    parser, tally = parser_of(plan.parser), Tally()
    for number in range(start, start + count):
        case = make_case(plan.seed, number, plan.dialects, plan.mutators)
        read = parser(case)
        tally.add(case, read, judge(case, read))
    return tally


def _batches(plan: Plan, deadline: float | None) -> Iterator[Tally]:
    ranges = _ranges(plan.replies)
    if plan.jobs == 1:
        for start, count in ranges:
            if deadline is not None and time.monotonic() >= deadline:
                return
            yield batch(plan, start, count)
        return
    with ProcessPoolExecutor(plan.jobs, mp_context=get_context("spawn")) as pool:
        pending: set[Future[Tally]] = set()
        while True:
            late = deadline is not None and time.monotonic() >= deadline
            while not late and len(pending) < plan.jobs * 3 and (piece := next(ranges, None)):
                pending.add(pool.submit(batch, plan, *piece))
            if not pending:
                return
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()


def _ranges(replies: int | None) -> Iterator[tuple[int, int]]:
    for start in itertools.count(0, BATCH):
        count = BATCH if replies is None else min(BATCH, replies - start)
        if count <= 0:
            return
        yield start, count


def default_jobs() -> int:
    """As many processes as there are cores for this one."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
