"""Results are kept for their time, and equal calls under way are shared."""

from __future__ import annotations

import asyncio

import pytest

from react_engine.tools.cache import ResultCache
from react_engine.types import Status, ToolResult

OWNER = object()


class Producer:
    """Gives numbered results, when it is let."""

    def __init__(self, status: Status = Status.SUCCESS) -> None:
        self.made = 0
        self.status = status
        self.gate = asyncio.Event()
        self.entered = asyncio.Event()

    async def __call__(self) -> ToolResult:
        self.made += 1
        number = self.made
        self.entered.set()
        await self.gate.wait()
        return ToolResult("id", "tool", self.status, str(number))


def opened(status: Status = Status.SUCCESS) -> Producer:
    producer = Producer(status)
    producer.gate.set()
    return producer


@pytest.mark.anyio
async def test_a_success_is_kept_for_its_time() -> None:
    now = 0.0
    cache = ResultCache(10, lambda: now)
    produce = opened()
    assert await cache.get(OWNER, "a", 10, produce) == ToolResult("id", "tool", Status.SUCCESS, "1")
    now = 9.9
    assert await cache.get(OWNER, "a", 10, produce) == ToolResult("id", "tool", Status.SUCCESS, "1", cached=True)
    now = 10.1
    assert (await cache.get(OWNER, "a", 10, produce)).text == "2"


@pytest.mark.anyio
async def test_failures_are_not_kept() -> None:
    cache = ResultCache(10, lambda: 0.0)
    produce = opened(Status.TIMEOUT)
    await cache.get(OWNER, "a", 10, produce)
    await cache.get(OWNER, "a", 10, produce)
    assert produce.made == 2


@pytest.mark.anyio
async def test_owners_and_keys_are_kept_apart() -> None:
    cache = ResultCache(10, lambda: 0.0)
    produce = opened()
    for owner, key in ((OWNER, "a"), (OWNER, "b"), (produce, "a")):
        assert not (await cache.get(owner, key, 10, produce)).cached


@pytest.mark.anyio
async def test_the_least_recently_used_goes_first() -> None:
    cache = ResultCache(2, lambda: 0.0)
    produce = opened()
    for key in ("a", "b", "a", "c", "a", "b"):
        await cache.get(OWNER, key, 10, produce)
    assert produce.made == 4


@pytest.mark.anyio
async def test_equal_calls_at_the_same_time_share_one_execution() -> None:
    cache = ResultCache(10, lambda: 0.0)
    produce = Producer()
    tasks = [asyncio.create_task(cache.get(OWNER, "a", 10, produce)) for _ in range(3)]
    await produce.entered.wait()
    produce.gate.set()
    results = [await task for task in tasks]
    assert produce.made == 1
    assert [result.cached for result in results] == [False, True, True]


@pytest.mark.anyio
async def test_a_shared_failure_is_not_called_cached() -> None:
    cache = ResultCache(10, lambda: 0.0)
    produce = Producer(Status.EXECUTION_ERROR)
    tasks = [asyncio.create_task(cache.get(OWNER, "a", 10, produce)) for _ in range(2)]
    await produce.entered.wait()
    produce.gate.set()
    assert [(await task).cached for task in tasks] == [False, False]
    assert produce.made == 1


@pytest.mark.anyio
async def test_when_the_one_that_runs_is_cancelled_another_takes_over() -> None:
    cache = ResultCache(10, lambda: 0.0)
    produce = Producer()
    first, second, third = (asyncio.create_task(cache.get(OWNER, "a", 10, produce)) for _ in range(3))
    await produce.entered.wait()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    produce.gate.set()
    assert [(await second).text, (await third).text] == ["2", "2"]
    assert produce.made == 2


@pytest.mark.anyio
async def test_cancelling_one_that_waits_disturbs_nobody() -> None:
    cache = ResultCache(10, lambda: 0.0)
    produce = Producer()
    first = asyncio.create_task(cache.get(OWNER, "a", 10, produce))
    await produce.entered.wait()
    second = asyncio.create_task(cache.get(OWNER, "a", 10, produce))
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    produce.gate.set()
    assert (await first).text == "1"
