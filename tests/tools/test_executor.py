"""The executor: a result for every call, whatever a tool does."""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import Sequence
from typing import Any

import pytest

from react_engine.errors import ConfigurationError, ToolError
from react_engine.tools.executor import CallEnded, CallStarted, Executor
from react_engine.tools.function import tool
from react_engine.tools.registry import Registry
from react_engine.tools.tool import RateLimit, Tool, ToolParameter
from react_engine.types import Problem, Span, Status, Tolerance, ToolCall, ToolResult
from tests.tools.acting import Act, AsyncAct, Waits, call, raising, run_one

pytestmark = pytest.mark.anyio


@tool
def weather(city: str, days: int = 1) -> dict[str, Any]:
    """Get the weather.

    Args:
        city: Name of the city.
        days: Days ahead.
    """
    return {"city": city, "days": days, "temp": 21}


@tool
async def shout(text: str) -> str:
    """Say it loudly."""
    return text.upper()


async def test_results_come_in_call_order_each_with_its_id() -> None:
    executor = Executor(Registry([weather, shout]), clock=lambda: 0.0)
    calls = [
        ToolCall("shout", {"text": "hé"}, id="a"),
        ToolCall("weather", {"city": "Rome", "days": "3"}, id="b"),
        ToolCall("shout", {"text": "hé"}, id="c"),
    ]
    assert await executor.execute(calls) == [
        ToolResult("a", "shout", Status.SUCCESS, "HÉ", value="HÉ"),
        ToolResult(
            "b",
            "weather",
            Status.SUCCESS,
            '{"city":"Rome","days":3,"temp":21}',
            value={"city": "Rome", "days": 3, "temp": 21},
        ),
        ToolResult("c", "shout", Status.SUCCESS, "HÉ", value="HÉ"),
    ]


async def test_no_calls_give_no_results() -> None:
    assert await Executor(Registry()).execute([]) == []


async def test_an_unknown_tool_is_answered_with_close_names() -> None:
    result = await run_one(weather, ToolCall("get_weather", {"city": "Rome"}, id="x"))
    assert result.status is Status.UNKNOWN_TOOL
    assert (result.call_id, result.attempts) == ("x", 0)
    assert result.text == "There is no tool named 'get_weather'."
    assert result.hint == "Did you mean weather?"


async def test_a_call_that_could_not_be_read_never_runs() -> None:
    act = Act(lambda _: "ran")
    problem = Problem("bad_json", "The arguments are not JSON.", "Write an object.")
    result = await run_one(act, ToolCall("act", {}, id="x", problem=problem))
    assert (result.status, result.text, result.hint, result.code) == (
        Status.VALIDATION_ERROR,
        "The arguments are not JSON.",
        "Write an object.",
        "bad_json",
    )
    assert act.runs == 0


async def test_invalid_arguments_are_answered_with_every_problem() -> None:
    result = await run_one(weather, ToolCall("weather", {"town": "Rome", "days": "soon"}, id="x"))
    assert result.status is Status.VALIDATION_ERROR
    for word in ("city", "town", "days"):
        assert word in result.text


LOSSY = (Tolerance("name_typo", Span(0, 3), lossy=True), Tolerance("case", Span(0, 3)))


async def test_a_guessed_call_does_not_run_a_tool_with_side_effects() -> None:
    act = Act(lambda _: "ran", side_effects=True, confirm=False)
    result = await run_one(act, ToolCall("act", {"text": "é"}, id="x", tolerances=LOSSY))
    assert (result.status, result.code, act.runs) == (Status.VALIDATION_ERROR, "unclear_call", 0)
    assert 'act({"text": "é"})' in result.text
    assert "(name_typo)" in result.text
    assert "write the call again cleanly" in result.hint


async def test_a_guessed_call_runs_a_tool_that_takes_it() -> None:
    assert (await run_one(Act(lambda _: "ran"), ToolCall("act", {}, tolerances=LOSSY))).ok
    lenient = Act(lambda _: "ran", side_effects=True, confirm=False, allow_lossy=True)
    assert (await run_one(lenient, ToolCall("act", {}, tolerances=LOSSY))).ok


async def test_a_call_that_needs_a_result_of_the_same_reply_is_put_off() -> None:
    act = Act(lambda _: "ran")
    executor = Executor(Registry([weather, act]))
    first, second, third = await executor.execute(
        [
            ToolCall("weather", {"city": "Rome"}, id="a"),
            ToolCall("act", {"text": "{{weather.temp}}"}, id="b"),
            ToolCall("act", {"text": "the weather"}, id="c"),
        ]
    )
    assert (first.ok, third.ok) == (True, True)
    assert (second.status, second.code) == (Status.VALIDATION_ERROR, "needs_result")
    assert "stands for the result of weather" in second.text
    assert second.hint == "Call act after you have the result, with the value itself as text."


async def test_business_errors_go_back_with_code_and_hint_and_without_a_retry() -> None:
    error = ToolError("No such city.", code="CITY_NOT_FOUND", hint="Give its English name.")
    waits = Waits()
    act = Act(raising(error), retry_on=(Exception,))
    result = await run_one(act, sleep=waits, clock=lambda: 0.0)
    assert result == ToolResult(
        "c1", "act", Status.BUSINESS_ERROR, "No such city.", hint="Give its English name.", code="CITY_NOT_FOUND"
    )
    assert (act.runs, waits.seconds) == (1, [])


@pytest.mark.parametrize("kind", [Act, AsyncAct])
@pytest.mark.parametrize(
    "error",
    [
        ValueError("bad\nthing"),
        KeyboardInterrupt(),
        SystemExit(3),
        GeneratorExit(),
        StopIteration("x"),
        RecursionError(),
        MemoryError(),
        ExceptionGroup("several", [ValueError("a"), TypeError("b")]),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_whatever_a_tool_raises_is_contained(kind: type[Act], error: BaseException) -> None:
    async def act_async(_: dict[str, Any]) -> Any:
        raise error

    result = await run_one(kind(act_async if kind is AsyncAct else raising(error)))
    assert result.status is Status.EXECUTION_ERROR
    assert result.text.startswith("act failed: ")
    assert "Traceback" not in result.text
    assert "\n" not in result.text


async def test_an_error_in_a_group_of_one_is_the_error() -> None:
    async def act(_: dict[str, Any]) -> None:
        async with asyncio.TaskGroup():
            raise ToolError("Sold out.", code="SOLD_OUT")

    result = await run_one(AsyncAct(act))
    assert (result.status, result.text) == (Status.BUSINESS_ERROR, "Sold out.")


async def test_a_tool_that_cancels_itself_is_cancelled() -> None:
    async def act(_: dict[str, Any]) -> None:
        raise asyncio.CancelledError

    assert (await run_one(AsyncAct(act))).status is Status.CANCELLED


async def test_a_sync_tool_may_return_an_awaitable() -> None:
    async def later() -> str:
        return "later"

    assert (await run_one(Act(lambda _: later()))).text == "later"


@pytest.mark.parametrize("value", [ValueError("bad"), (number for number in range(3))], ids=["exception", "generator"])
async def test_what_is_no_result_is_no_success(value: Any) -> None:
    assert (await run_one(Act(lambda _: value))).status is Status.EXECUTION_ERROR


async def test_an_async_tool_that_forgets_to_await_is_told() -> None:
    async def later() -> str:
        return "later"

    async def act(_: dict[str, Any]) -> Any:
        return later()

    result = await run_one(Act(act))
    assert (result.status, result.value) == (Status.EXECUTION_ERROR, None)
    assert "did not await" in result.text


async def test_a_tool_error_without_a_message_still_says_something() -> None:
    assert (await run_one(Act(raising(ToolError(""))))).text == "act could not do that (ToolError)."


async def test_a_tool_without_output_says_so() -> None:
    assert (await run_one(Act(lambda _: None))).text == "Done (no output)."


async def test_context_variables_reach_tools_in_threads_and_in_the_loop() -> None:
    user = contextvars.ContextVar("user", default="nobody")
    user.set("ann")

    async def act(_: dict[str, Any]) -> str:
        return user.get()

    assert [(await run_one(Act(lambda _: user.get()))).text, (await run_one(AsyncAct(act))).text] == ["ann", "ann"]


async def test_a_tool_that_cannot_say_its_parameters_is_an_execution_error() -> None:
    class Odd(Act):
        def get_parameters(self) -> list[ToolParameter]:
            raise RuntimeError("no parameters today")

    class Single:
        def get(self, name: str) -> Tool:
            return Odd(lambda _: "ran")

    [result] = await Executor(Single()).execute([call()])
    assert (result.status, result.attempts) == (Status.EXECUTION_ERROR, 0)
    assert "no parameters today" in result.text


async def test_the_observer_sees_every_call_begin_and_end() -> None:
    events: list[CallStarted | CallEnded] = []
    calls = [call(id="a"), call("nope", id="b")]
    results = await Executor(Registry([Act(lambda _: "ran")])).execute(calls, observer=events.append)
    assert [event.call.id for event in events if isinstance(event, CallStarted)] == ["b", "a"]
    ended = {event.call.id: event.result for event in events if isinstance(event, CallEnded)}
    assert [ended["a"], ended["b"]] == results


async def test_an_observer_that_fails_is_reported_to_the_loop_and_changes_nothing() -> None:
    reported: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: reported.append(context))

    def observer(_event: CallStarted | CallEnded) -> None:
        raise RuntimeError("observer")

    assert (await run_one(Act(lambda _: "ran"), observer=observer)).ok
    assert [str(context["exception"]) for context in reported] == ["observer", "observer"]


def test_one_executor_serves_several_event_loops() -> None:
    act = Act(lambda _: "ran", cache_ttl=60, confirm=True, rate_limit=RateLimit(100, 1))
    executor = Executor(Registry([act]), confirm=lambda _call, _tool: True)

    async def several() -> Sequence[ToolResult]:
        groups = await asyncio.gather(*(executor.execute([call(text=str(number))] * 2) for number in range(3)))
        return [result for group in groups for result in group]

    for _ in range(2):
        assert all(result.ok for result in asyncio.run(several()))


def test_settings_that_allow_nothing_are_refused() -> None:
    with pytest.raises(ConfigurationError):
        Executor(Registry(), concurrency=0)


async def test_the_clock_of_the_system_is_used_by_default() -> None:
    before = time.monotonic()
    result = await run_one(Act(lambda _: "ran"))
    assert 0 <= result.elapsed <= time.monotonic() - before
