"""The executor and time: timeouts, retries, cancellation."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from react_engine.tools.executor import CallEnded, Executor
from react_engine.tools.registry import Registry
from react_engine.tools.threads import NAME
from react_engine.types import Status
from tests.tools.acting import Act, AsyncAct, Waits, call, failing, raising, run_one

pytestmark = pytest.mark.anyio


async def test_a_sync_tool_that_hangs_times_out_without_blocking_the_loop() -> None:
    release = threading.Event()
    act = Act(lambda _: release.wait(), timeout=0.01, retries=0)
    result = await run_one(act)
    release.set()
    assert (result.status, result.text, result.code) == (
        Status.TIMEOUT,
        "act gave no result within 0.01 s.",
        "timeout",
    )


async def test_an_async_tool_that_hangs_is_stopped() -> None:
    stopped = asyncio.Event()

    async def act(_: dict[str, Any]) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    assert (await run_one(AsyncAct(act, timeout=0.01, retries=0))).status is Status.TIMEOUT
    assert stopped.is_set()


async def test_a_result_that_comes_with_the_cancellation_is_too_late() -> None:
    async def act(_: dict[str, Any]) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "late"
        return "never"

    assert (await run_one(AsyncAct(act, timeout=0.01, retries=0))).status is Status.TIMEOUT


async def test_a_timeout_of_a_tool_with_side_effects_warns_that_it_may_have_worked() -> None:
    async def act(_: dict[str, Any]) -> None:
        await asyncio.Event().wait()

    tool = AsyncAct(act, timeout=0.01, side_effects=True, confirm=False, retries=3)
    result = await run_one(tool)
    assert (result.status, result.attempts, tool.runs) == (Status.TIMEOUT, 1, 1)
    assert "check before you call it again" in result.hint


async def test_transient_failures_are_retried_with_growing_pauses() -> None:
    waits = Waits()
    act = Act(failing(ConnectionError("reset"), ConnectionError("reset"), ConnectionError("reset")), retries=3)
    result = await run_one(act, sleep=waits)
    assert (result.status, result.text, result.attempts) == (Status.SUCCESS, "done", 4)
    for pause, least in zip(waits.seconds, (0.25, 0.5, 1.0), strict=True):
        assert least <= pause <= least + 0.25


async def test_retries_end_and_say_how_many_there_were() -> None:
    act = Act(raising(ConnectionError("reset by peer")))
    result = await run_one(act, sleep=Waits())
    assert (result.status, result.attempts, act.runs) == (Status.EXECUTION_ERROR, 3, 3)
    assert result.text == "act failed: ConnectionError: reset by peer (3 attempts)"
    assert result.code == "ConnectionError"


async def test_timeouts_of_read_only_tools_are_retried() -> None:
    async def act(_: dict[str, Any]) -> None:
        await asyncio.Event().wait()

    tool = AsyncAct(act, timeout=0.01)
    result = await run_one(tool, sleep=Waits())
    assert (result.status, tool.runs) == (Status.TIMEOUT, 3)
    assert result.text == "act gave no result within 0.01 s (3 attempts)."


@pytest.mark.parametrize(
    ("error", "options", "runs"),
    [
        (ValueError("wrong"), {}, 1),
        (ValueError("wrong"), {"retry_on": (ValueError,)}, 3),
        (ConnectionError(), {"side_effects": True, "confirm": False}, 1),
        (ConnectionError(), {"side_effects": True, "confirm": False, "retries": 1}, 2),
        (ConnectionError(), {"retries": 0}, 1),
    ],
)
async def test_only_named_failures_are_retried_as_often_as_the_tool_says(
    error: Exception, options: dict[str, Any], runs: int
) -> None:
    act = Act(raising(error), **options)
    await run_one(act, sleep=Waits())
    assert act.runs == runs


async def test_a_timeout_that_the_tool_reports_is_a_timeout() -> None:
    result = await run_one(Act(raising(TimeoutError("read timed out")), retries=0))
    assert (result.status, result.text) == (Status.TIMEOUT, "act: TimeoutError: read timed out")


async def test_elapsed_time_spans_all_attempts() -> None:
    now = 0.0

    def clock() -> float:
        return now

    async def sleep(_: float) -> None:
        nonlocal now
        now += 5

    result = await run_one(Act(failing(ConnectionError())), sleep=sleep, clock=clock)
    assert result.elapsed == 5


async def test_cancelling_the_caller_stops_async_tools_and_is_told() -> None:
    running, cleaned = asyncio.Event(), []
    events: list[Any] = []

    async def act(parameters: dict[str, Any]) -> None:
        running.set()
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.append(parameters["text"])

    executor = Executor(Registry([AsyncAct(act)]))
    task = asyncio.create_task(executor.execute([call(text="1"), call(text="2")], observer=events.append))
    await running.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(cleaned) == ["1", "2"]
    assert [event.result.status for event in events if isinstance(event, CallEnded)] == [Status.CANCELLED] * 2


async def test_cancelling_the_caller_leaves_a_sync_tool_behind() -> None:
    started, release = threading.Event(), threading.Event()

    def act(_: dict[str, Any]) -> None:
        started.set()
        release.wait()

    task = asyncio.create_task(run_one(Act(act)))
    await asyncio.to_thread(started.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    release.set()


def test_a_hanging_tool_does_not_outlive_the_interpreter() -> None:
    release = threading.Event()
    asyncio.run(run_one(Act(lambda _: release.wait(), timeout=0.01, retries=0)))
    hanging = [thread for thread in threading.enumerate() if thread.name == NAME]
    assert hanging
    assert all(thread.daemon for thread in hanging)
    release.set()  # what it returns now finds a closed loop, and is dropped
