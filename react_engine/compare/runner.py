"""Runs a comparison: variant after variant, the tasks of one several at once if asked for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from react_engine.compare.records import Key, Record, RecordFile, basis_of, record_of
from react_engine.compare.replies import CachedModel
from react_engine.compare.variants import Variant
from react_engine.errors import ModelError
from react_engine.models import open_model
from react_engine.models.base import Chunk, Model, ModelRequest, Reply
from react_engine.models.profile import ModelProfile
from react_engine.models.table import table_for
from react_engine.runs import EndState
from react_engine.settings import Settings
from react_engine.suites import Suite, Task

Progress = Callable[[Variant, Suite, Record | None], None]
"""Told of each finished task, and with None of each that was finished before."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run. ``limit`` takes so many tasks of each suite, spread over it; ``jobs`` run at once."""

    variants: tuple[Variant, ...]
    suites: tuple[Suite, ...]
    limit: int | None = None
    jobs: int = 1

    def tasks(self, suite: Suite) -> tuple[Task, ...]:
        """The tasks of a suite that are run."""
        if self.limit is None or self.limit >= len(suite.tasks):
            return suite.tasks
        step = len(suite.tasks) / self.limit
        return tuple(suite.tasks[int(number * step)] for number in range(self.limit))

    @property
    def size(self) -> int:
        """How many tasks that are."""
        return len(self.variants) * sum(len(self.tasks(suite)) for suite in self.suites)


async def run_plan(plan: Plan, settings: Settings, folder: Path, progress: Progress) -> list[Record]:
    """Run what has no record in ``folder`` yet, and give all records of the plan.

    Of ``settings`` the models, requests, sampling and templates count. Raises ModelError when a model cannot be
    asked: what was finished before is kept.
    """
    file = RecordFile(folder / "tasks.jsonl")
    known = {record.key: record for record in file.read()}
    table, templates = table_for(settings), settings.templates.folder
    wanted: list[Record] = []
    for variant in plan.variants:
        profile = table.profile(variant.model, variant.profile_fields())
        model = CachedModel(open_model(profile, settings), folder / "replies")
        try:
            for suite in plan.suites:
                column = _Column(variant, suite, model, profile, templates, basis_of(profile, suite, templates))
                fresh: list[Task] = []
                for task in plan.tasks(suite):
                    if (record := known.get(column.key(task))) is not None:
                        wanted.append(record)
                        progress(variant, suite, None)
                    else:
                        fresh.append(task)

                def keep(record: Record, suite: Suite = suite) -> None:
                    file.add(record)
                    progress(record.variant, suite, record)

                wanted.extend(await column.run(fresh, plan.jobs, keep))
        finally:
            await model.aclose()
    return wanted


@dataclass(frozen=True, slots=True)
class _Column:
    """One variant on one suite."""

    variant: Variant
    suite: Suite
    model: Model
    profile: ModelProfile
    templates: Path | None
    basis: str

    def key(self, task: Task) -> Key:
        """The key of a task's record."""
        return self.variant, self.suite.name, task.ask, self.basis

    async def run(self, tasks: Sequence[Task], jobs: int, keep: Callable[[Record], None]) -> list[Record]:
        """The records of the tasks, in their order; ``keep`` gets each as soon as it is there."""
        places = asyncio.Semaphore(jobs)

        async def one(task: Task) -> Record:
            async with places:
                record = await self._one(task)
            keep(record)
            return record

        try:
            async with asyncio.TaskGroup() as group:
                running = [group.create_task(one(task)) for task in tasks]
        except* (ModelError, OSError) as errors:  # one is enough to tell; the others are of the same kind
            raise errors.exceptions[0] from None
        return [task.result() for task in running]

    async def _one(self, task: Task) -> Record:
        timed = _Timed(self.model)
        engine = self.variant.engine(timed, self.profile, self.suite, self.templates)
        run = await engine.arun(task.ask)
        if run.end is EndState.ERROR and isinstance(run.error, ModelError) and run.error.refused is None:
            raise run.error
        return record_of(self.variant, self.suite, task, run, timed.seconds, self.basis)


class _Timed:
    """A model that adds up the seconds of its replies."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.name = model.name
        self.seconds = 0.0

    async def complete(self, request: ModelRequest) -> Reply:
        reply = await self._model.complete(request)
        self.seconds += reply.elapsed
        return reply

    def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        return self._model.stream(request)

    async def aclose(self) -> None:
        """The model is released by whoever opened it."""
