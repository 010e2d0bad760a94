"""Budgets of calls and sliding rate windows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.errors import ConfigurationError
from react_engine.tools.limits import CallBudget, RateWindow, Turn
from react_engine.tools.tool import RateLimit, Tool, ToolOptions, ToolParameter


class Ping(Tool):
    def run(self, parameters: dict[str, Any]) -> str:
        return "pong"

    def get_parameters(self) -> list[ToolParameter]:
        return []


def ping(max_calls: int | None = None, name: str = "ping") -> Ping:
    return Ping(name, "Answers.", ToolOptions(max_calls=max_calls))


def test_a_budget_counts_down_over_all_tools() -> None:
    budget = CallBudget(2)
    assert [budget.admit(ping()), budget.admit(ping(name="other"))] == [None, None]
    assert (budget.spent, budget.left) == (2, 0)
    assert budget.admit(ping()) == "The limit of 2 calls in this run is used up."
    assert budget.spent == 2


def test_a_tool_has_its_own_limit() -> None:
    budget = CallBudget()
    assert budget.admit(ping(1)) is None
    assert budget.admit(ping(1)) == "The limit of 1 call of ping in this run is used up."
    assert budget.admit(ping(name="other")) is None
    assert (budget.spent, budget.left) == (2, None)


def test_turns_come_at_once_until_the_window_is_full_then_one_by_one() -> None:
    now = 100.0
    window = RateWindow(RateLimit(2, 10), lambda: now)
    assert window.take(0) == Turn(True, 0)
    now = 104.0
    assert window.take(0) == Turn(True, 0)
    assert window.take(3) == Turn(False, 6)
    assert window.take(6) == Turn(True, 6)  # at 110
    assert window.take(100) == Turn(True, 10)  # at 114
    now = 200.0
    assert window.take(0) == Turn(True, 0)


@given(
    st.integers(1, 4),
    st.lists(st.tuples(st.floats(0, 5), st.floats(0, 30)), max_size=30),
)
def test_no_period_ever_has_more_turns_than_allowed(calls: int, asked: list[tuple[float, float]]) -> None:
    now = 0.0
    window = RateWindow(RateLimit(calls, 10), lambda: now)
    turns: list[float] = []
    for pause, patience in asked:
        now += pause
        turn = window.take(patience)
        assert turn.wait <= patience or not turn.granted
        if turn.granted:
            turns.append(now + turn.wait)
    assert all(later - earlier > 10 - 1e-6 for earlier, later in zip(turns, turns[calls:], strict=False))


@pytest.mark.parametrize(("calls", "seconds"), [(0, 60), (-1, 60), (1, 0), (1, -5), (1, float("nan"))])
def test_a_rate_that_allows_nothing_is_refused(calls: int, seconds: float) -> None:
    with pytest.raises(ConfigurationError):
        RateLimit(calls, seconds)
