"""A person is asked before tools run that want it so."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from react_engine.tools.executor import Executor
from react_engine.tools.function import tool
from react_engine.tools.limits import CallBudget
from react_engine.tools.registry import Registry
from react_engine.tools.tool import Tool
from react_engine.types import Status, ToolCall
from tests.tools.acting import Act, call, run_one

pytestmark = pytest.mark.anyio


async def test_a_tool_that_asks_first_is_denied_when_nobody_can_be_asked() -> None:
    act = Act(lambda _: "ran", side_effects=True)
    result = await run_one(act)
    assert (result.status, result.code, act.runs) == (Status.DENIED, "confirmation_required", 0)
    assert "confirm callback" in result.hint


def plain_answer(answer: Any) -> Callable[[ToolCall, Tool], Any]:
    return lambda _call, _tool: answer


def async_answer(answer: Any) -> Callable[[ToolCall, Tool], Awaitable[Any]]:
    async def confirm(_call: ToolCall, _tool: Tool) -> Any:
        return answer

    return confirm


@pytest.mark.parametrize("how", [plain_answer, async_answer])
@pytest.mark.parametrize(
    ("answer", "status", "text"),
    [
        (True, Status.SUCCESS, "ran"),
        (False, Status.DENIED, "act was not allowed to run: the user said no."),
        ("not on a Sunday", Status.DENIED, "act was not allowed to run: not on a Sunday"),
        ("", Status.DENIED, "act was not allowed to run: the user said no."),
        (None, Status.DENIED, "act was not allowed to run: the user said no."),
        (1, Status.DENIED, "act was not allowed to run: the user said no."),
    ],
)
async def test_only_true_is_a_yes(how: Callable[[Any], Any], answer: Any, status: Status, text: str) -> None:
    result = await run_one(Act(lambda _: "ran", side_effects=True), confirm=how(answer))
    assert (result.status, result.text) == (status, text)


@pytest.mark.parametrize("error", [RuntimeError("no terminal"), EOFError(), KeyboardInterrupt()])
async def test_a_question_that_fails_is_a_no(error: BaseException) -> None:
    def confirm(_call: ToolCall, _tool: Tool) -> bool:
        raise error

    act = Act(lambda _: "ran", side_effects=True)
    result = await run_one(act, confirm=confirm)
    assert (result.status, act.runs) == (Status.DENIED, 0)
    assert f"asking the user failed with {type(error).__name__}" in result.text


async def test_a_cancelled_question_is_a_no() -> None:
    async def confirm(_call: ToolCall, _tool: Tool) -> bool:
        raise asyncio.CancelledError

    assert (await run_one(Act(lambda _: "ran", confirm=True), confirm=confirm)).status is Status.DENIED


async def test_cancelling_the_caller_ends_a_question() -> None:
    asked, release = threading.Event(), threading.Event()

    def confirm(_call: ToolCall, _tool: Tool) -> bool:
        asked.set()
        return release.wait()

    act = Act(lambda _: "ran", confirm=True)
    task = asyncio.create_task(run_one(act, confirm=confirm))
    await asyncio.to_thread(asked.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    release.set()
    assert act.runs == 0


async def test_questions_come_one_at_a_time_in_call_order_before_anything_runs() -> None:
    order: list[str] = []
    asking = 0

    async def confirm(call: ToolCall, _tool: Tool) -> bool:
        nonlocal asking
        asking += 1
        assert asking == 1
        await asyncio.sleep(0)
        asking -= 1
        order.append(f"ask {call.id}")
        return call.id != "b"

    def act(parameters: dict[str, Any]) -> None:
        order.append(f"run {parameters['text']}")

    executor = Executor(Registry([Act(act, side_effects=True)]), confirm=confirm)
    await asyncio.gather(
        executor.execute([call(id=name, text=name) for name in "abc"]),
        executor.execute([call(id="d", text="d")]),
    )
    assert [entry for entry in order if entry[:3] == "ask" and entry[-1] != "d"] == ["ask a", "ask b", "ask c"]
    assert order.index("run a") > order.index("ask c")
    assert order.index("run c") > order.index("run a")
    assert "run b" not in order
    assert "run d" in order


async def test_the_person_sees_the_arguments_that_run() -> None:
    seen: list[ToolCall] = []

    @tool(side_effects=True)
    def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    def confirm(call: ToolCall, _tool: Tool) -> bool:
        seen.append(call)
        return True

    [result] = await Executor(Registry([pay]), confirm=confirm).execute([ToolCall("pay", {"amount": "5"}, id="x")])
    assert result.text == "paid 5"
    assert seen == [ToolCall("pay", {"amount": 5}, id="x")]


async def test_invalid_calls_are_not_asked_about() -> None:
    def confirm(_call: ToolCall, _tool: Tool) -> bool:
        raise AssertionError

    act = Act(lambda _: "ran", side_effects=True, max_calls=1)
    executor, budget = Executor(Registry([act]), confirm=confirm), CallBudget()
    budget.admit(act)
    results = await executor.execute([call(text={"no": "text"}), call()], budget)
    assert [result.status for result in results] == [Status.VALIDATION_ERROR, Status.RATE_LIMITED]
