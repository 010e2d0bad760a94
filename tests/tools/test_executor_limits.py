"""The executor with several calls: together, in order, within limits, out of the cache."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from react_engine.errors import ToolError
from react_engine.tools.executor import Executor
from react_engine.tools.function import tool
from react_engine.tools.limits import CallBudget
from react_engine.tools.registry import Registry
from react_engine.tools.tool import RateLimit
from react_engine.types import Status, ToolCall, ToolResult
from tests.tools.acting import Act, AsyncAct, Waits, call, raising, run_one

pytestmark = pytest.mark.anyio


async def test_independent_calls_run_at_the_same_time() -> None:
    together = asyncio.Barrier(3)

    async def act(parameters: dict[str, Any]) -> str:
        await together.wait()
        return str(parameters["text"])

    executor = Executor(Registry([AsyncAct(act, timeout=5)]))
    results = await executor.execute([call(id=name, text=name) for name in "abc"])
    assert [(result.call_id, result.text) for result in results] == [("a", "a"), ("b", "b"), ("c", "c")]


async def test_no_more_calls_run_at_once_than_allowed() -> None:
    running, most = 0, 0

    async def act(_: dict[str, Any]) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1

    await Executor(Registry([AsyncAct(act)]), concurrency=2).execute([call() for _ in range(7)])
    assert most == 2


async def test_a_call_with_side_effects_runs_alone_and_in_its_place() -> None:
    order: list[str] = []

    def noting(name: str, **options: Any) -> AsyncAct:
        async def act(_: dict[str, Any]) -> None:
            order.append(f"{name} begins")
            await asyncio.sleep(0)
            order.append(f"{name} ends")

        return AsyncAct(act, name, **options)

    write = noting("write", side_effects=True, confirm=False)
    executor = Executor(Registry([noting("read"), write]))
    await executor.execute([call(name) for name in ("read", "read", "write", "write", "read")])
    read, wrote = ["read begins", "read ends"], ["write begins", "write ends"]
    assert order == ["read begins", "read begins", "read ends", "read ends", *wrote, *wrote, *read]


async def test_a_tool_that_changes_its_arguments_changes_no_call_and_no_further_attempt() -> None:
    def act(parameters: dict[str, Any]) -> str:
        seen.append(parameters.pop("text"))
        if len(seen) == 1:
            raise ConnectionError
        return "done"

    seen: list[Any] = []
    written = call(text="x")
    await run_one(Act(act), written, sleep=Waits())
    assert seen == ["x", "x"]
    assert written == call(text="x")


async def test_one_failure_does_not_touch_the_others() -> None:
    def act(parameters: dict[str, Any]) -> str:
        if parameters["text"] == "b":
            raise SystemExit
        return "fine"

    results = await Executor(Registry([Act(act)])).execute([call(text=name) for name in "abc"])
    assert [result.ok for result in results] == [True, False, True]


async def test_the_budget_of_a_run_spans_replies_and_spares_calls_that_cannot_run() -> None:
    executor, budget = Executor(Registry([Act(lambda _: "ran")])), CallBudget(2)
    first = await executor.execute([call(), call("nope"), call(text={"no": "text"})], budget)
    second = await executor.execute([call(), call()], budget)
    assert [result.status for result in (*first, *second)] == [
        Status.SUCCESS,
        Status.UNKNOWN_TOOL,
        Status.VALIDATION_ERROR,
        Status.SUCCESS,
        Status.RATE_LIMITED,
    ]
    assert (second[1].text, second[1].code) == ("The limit of 2 calls in this run is used up.", "call_limit")


async def test_a_tool_may_be_called_so_often_in_a_run() -> None:
    act = Act(lambda _: "ran", max_calls=1)
    results = await Executor(Registry([act])).execute([call(), call()])
    assert [result.status for result in results] == [Status.SUCCESS, Status.RATE_LIMITED]
    assert results[1].text == "The limit of 1 call of act in this run is used up."


async def test_a_short_wait_for_a_turn_is_waited_and_a_long_one_refused() -> None:
    waits = Waits()
    act = Act(lambda _: "ran", rate_limit=RateLimit(2, 20), timeout=25)
    executor = Executor(Registry([act]), sleep=waits, clock=lambda: 0.0)
    results = await executor.execute([call() for _ in range(5)])
    assert [result.status for result in results] == [Status.SUCCESS] * 4 + [Status.RATE_LIMITED]
    assert waits.seconds == [20, 20]
    assert results[4].text == "act was not run: it can be called again in 40 s. It may be called 2 times in 20 s."
    assert act.runs == 4


async def test_equal_calls_share_a_result_for_its_time() -> None:
    now = 0.0
    act = Act(lambda parameters: parameters["text"], cache_ttl=60)
    executor = Executor(Registry([act]), clock=lambda: now)
    [first] = await executor.execute([call(id="a", text="x")])
    [second] = await executor.execute([call(id="b", text="x")])
    assert first == ToolResult("a", "act", Status.SUCCESS, "x", value="x")
    assert second == ToolResult("b", "act", Status.SUCCESS, "x", value="x", attempts=0, cached=True)
    now = 61.0
    await executor.execute([call(text="x")])
    assert act.runs == 2


async def test_equal_arguments_are_equal_however_they_are_written() -> None:
    runs = []

    @tool(cache_ttl=60)
    def add(left: int, right: int) -> int:
        """Add."""
        runs.append((left, right))
        return left + right

    executor = Executor(Registry([add]))
    arguments: list[dict[str, Any]] = [{"left": 1, "right": 2}, {"right": 2.0, "left": 1}, {"left": "1", "right": "2"}]
    results = await executor.execute([ToolCall("add", each) for each in arguments])
    assert [result.text for result in results] == ["3", "3", "3"]
    assert runs == [(1, 2)]


async def test_failures_and_side_effects_are_never_cached() -> None:
    write = Act(lambda _: "ran", cache_ttl=60, side_effects=True, confirm=False)
    fail = Act(raising(ToolError("no")), "fail", cache_ttl=60)
    executor = Executor(Registry([write, fail]))
    for _ in range(2):
        results = await executor.execute([call(), call("fail")])
        assert not any(result.cached for result in results)
    assert (write.runs, fail.runs) == (2, 2)
