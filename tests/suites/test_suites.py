"""The shipped suites hold what they promise, and the notation means what it says."""

from __future__ import annotations

from typing import Any

import pytest

from react_engine.errors import ConfigurationError
from react_engine.runs import EndState, Run, Step
from react_engine.suites import load_suite, score, shipped_suites
from react_engine.suites.matching import fits, told
from react_engine.suites.suite import Expected, Suite, Task, read_suite
from react_engine.types import Reading, Status, ToolCall, ToolResult


def chinese(task: Task) -> bool:
    return any("\u4e00" <= char <= "\u9fff" for char in task.ask)


def test_tool_choice_has_tools_to_confuse_and_requests_for_none_or_two() -> None:
    suite = load_suite("choice")
    assert len(suite.tools) >= 12
    assert len(suite.tasks) >= 60
    assert sum(len(task.calls) != 1 for task in suite.tasks) * 3 >= len(suite.tasks)
    assert sum(map(chinese, suite.tasks)) * 4 >= len(suite.tasks)


def test_several_steps_need_two_to_five_calls() -> None:
    suite = load_suite("steps")
    assert len(suite.tasks) >= 25
    assert {len(task.calls) for task in suite.tasks} == {2, 3, 4, 5}


@pytest.mark.parametrize("name", shipped_suites())
def test_no_task_is_asked_twice_and_every_tool_is_needed(name: str) -> None:
    suite = load_suite(name)
    asked = [task.ask for task in suite.tasks]
    assert len(set(asked)) == len(asked)
    assert {call.tool for task in suite.tasks for call in task.calls} == {tool.name for tool in suite.tools}


@pytest.mark.parametrize("name", shipped_suites())
def test_an_expected_call_has_a_result(name: str) -> None:
    """Each expected argument, with its wildcards filled, is one that the tool knows."""
    suite = load_suite(name)
    tools = {tool.name: tool for tool in suite.tools}
    filled = {"*": "", "?": "1"}
    for task in suite.tasks:
        for call in task.calls:
            if "expression" in call.arguments or "query" in call.arguments or call.tool == "send_message":
                continue
            arguments: dict[str, Any] = {
                key: _plain(value, filled) if isinstance(value, str) else value for key, value in call.arguments.items()
            }
            if call.tool == "convert_units":
                arguments = {
                    **arguments,
                    "from_unit": _unit(arguments["from_unit"]),
                    "to_unit": _unit(arguments["to_unit"]),
                }
            assert tools[call.tool].run(arguments), task.ask


def _plain(pattern: str, filled: dict[str, str]) -> str:
    text = pattern.split("|")[0]
    for sign, plain in filled.items():
        text = text.replace(sign, plain)
    return text


def _unit(start: str) -> str:
    names = ("miles", "kilometres", "kilograms", "pounds", "fahrenheit", "celsius", "公里")
    known = {"lb": "pounds", "kg": "kilograms", "km": "kilometres", "k": "kilometres"}
    return known.get(start) or next(name for name in names if name.startswith(start))


@pytest.mark.parametrize(
    ("expected", "value", "fit"),
    [
        ("Oslo", " oslo ", True),
        ("Oslo|Bergen", "BERGEN", True),
        ("Oslo*", "Oslo, Norway", True),
        ("Oslo", "Oslo, Norway", False),
        ("a[b]*", "a[b]c", True),
        (5, 5.0, True),
        (5, "5", True),
        (1000, "1,000", True),
        (5, True, False),
        (True, True, True),
        (True, 1, False),
        (None, None, True),
        (["a", "b*"], ["A", "bc"], True),
        (["a"], ["a", "b"], False),
        ({"x": 1}, {"x": 1, "y": 2}, True),
        ({"x": 1}, {"y": 1}, False),
        ("*3*", 3, True),
    ],
)
def test_the_notation(expected: object, value: object, fit: bool) -> None:
    assert fits(expected, value) is fit


def test_an_answer_may_say_it_in_one_of_several_ways() -> None:
    assert told("14946|fourteen", "It is 14,946.")
    assert told("ottawa", "OTTAWA")
    assert not told("yes|rain", "no")


TASK = Task("?", "one", (Expected("weather", {"city": "Oslo*"}),), ("4",))
NONE = Task("?", "none")


def run(*calls: tuple[str, dict[str, Any]], answer: str | None = "4 degrees") -> Run:
    made = tuple(ToolCall(name, arguments, f"c{place}") for place, (name, arguments) in enumerate(calls))
    results = tuple(ToolResult(call.id, call.name, Status.SUCCESS, "x") for call in made)
    step = Step(0, "prompt", Reading(), made, results)
    return Run(EndState.ANSWERED if answer else EndState.MAX_STEPS, answer, steps=(step,) if made else ())


@pytest.mark.parametrize(
    ("task", "made", "flags"),
    [
        (TASK, run(("weather", {"city": "Oslo"})), (True, True, True, True, True)),
        (TASK, run(("weather", {"city": "Rome"})), (True, False, False, True, False)),
        (TASK, run(("other", {}), ("weather", {"city": "Oslo"})), (False, False, True, True, True)),
        (TASK, run(("weather", {"city": "Oslo"}), answer=None), (True, True, True, False, False)),
        (TASK, run(), (False, False, False, True, False)),
        (NONE, run(), (True, True, True, True, True)),
        (NONE, run(("weather", {})), (False, False, False, True, False)),
    ],
)
def test_a_run_is_looked_at_as_its_author_would(task: Task, made: Run, flags: tuple[bool, ...]) -> None:
    seen = score(task, made)
    assert (seen.tool, seen.arguments, seen.calls, seen.answer, seen.done) == flags


SMALL = """
title = "small"
[[tools]]
name = "lookup"
parameters = { word = { type = "string" } }
results = [{ when = { word = "a*" }, text = "found" }]
[[tasks]]
items = [{ ask = "Look up apple.", calls = [{ tool = "lookup", arguments = { word = "apple" } }], answer = ["found"] }]
"""


def test_a_suite_of_ones_own_is_read() -> None:
    suite = read_suite(SMALL, "mine.toml")
    assert isinstance(suite, Suite)
    assert suite.tasks == (Task("Look up apple.", "tasks", (Expected("lookup", {"word": "apple"}),), ("found",)),)
    assert suite.tools[0].run({"word": "apple"}) == "found"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("title = [", "no TOML"),
        ("title = 'x'", "tools"),
        (SMALL.replace('tool = "lookup"', 'tool = "look"'), "'look', which is no tool"),
        (SMALL.replace("when", "whem"), "whem"),
    ],
)
def test_a_mistake_in_a_suite_is_told_with_its_place(text: str, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        read_suite(text, "mine.toml")


def test_a_suite_that_is_not_there_names_the_shipped_ones() -> None:
    with pytest.raises(ConfigurationError, match="choice, steps"):
        load_suite("nothing.toml")
