"""Placeholders for results of the same reply are found; plain text never is one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.tools.dependencies import Reference, References
from react_engine.types import ToolCall

EARLIER = (ToolCall("get_weather", {}, id="call_a1b2"), ToolCall("search", {}, id="call_2"))

PLACEHOLDERS = [
    ("$1", 0),
    ("$2", 1),
    ("$1.temp", 0),
    ("#E1", 0),
    ("$E2", 1),
    ("{{1}}", 0),
    ("${2}", 1),
    ("$call_1", 0),
    ("${call_1}", 0),
    ("<call_1>", 0),
    ("{call_1.result}", 0),
    ("{{result_1}}", 0),
    ("{{get_weather.temp}}", 0),
    ("{{ search }}", 1),
    ("{search.result}", 1),
    ("${{search.outputs.x}}", 1),
    ("$search", 1),
    ("$get_weather.temp", 0),
    ("{{search.results[0].url}}", 1),
    ("<result of call 1>", 0),
    ("[result of step 2]", 1),
    ("<the result from search>", 1),
    ("[output of the search call]", 1),
    ("<output from first tool>", 0),
    ("<search_result>", 1),
    ("<<call_2>>", 1),
    ("{previous_result}", 1),
    ("<previous result>", 1),
    ("[last result]", 1),
    ("previous_result", 1),
    ("result_of_previous_call", 1),
    ("result of previous call", 1),
    ("the result of the previous tool call", 1),
    ("output of step 1", 0),
    ("get_weather_result", 0),
    ("get_weather.output", 0),
    ("call_a1b2", 0),
    ("{{call_a1b2}}", 0),
    ("call_2.result", 1),
    ('"call_a1b2"', 0),
    ("It is {{get_weather.temp}} degrees.", 0),
    ("see ${call_a1b2.text}, please", 0),
]

PLAIN = [
    "",
    "get_weather",
    "search",
    "call get_weather first",
    "search results",
    "result of search",
    "previous results of elections",
    "what did the last call say?",
    "call 911",
    "step 1",
    "output_1",
    "result",
    "first",
    "last",
    "get_weather.temp",
    "call_1",
    "E1",
    "#1",
    "#search",
    "$",
    "$1.50",
    "$3",
    "$10",
    "${HOME}",
    "$HOME",
    "${name} owes",
    "{1}",
    "{{3}}",
    "{{name}}",
    "{{result}}",
    "{{}}",
    "{{call}}",
    "{}",
    "[]",
    "[1]",
    "(1)",
    "[search]",
    "<search>",
    "<title>",
    "<answer>",
    "<b>1</b>",
    "a{b}c",
    '{"a": 1}',
    "The weather in {city}",
    "price $1 and #E1",
]


def find_reference(call: ToolCall, earlier: tuple[ToolCall, ...]) -> Reference | None:
    calls = (*earlier, call, ToolCall("later", {}, id="later_1"))
    return References(calls).find(len(earlier))


def call(value: Any) -> ToolCall:
    return ToolCall("notify", {"to": "bob", "message": [{"text": value}]})


@pytest.mark.parametrize(("text", "position"), PLACEHOLDERS)
def test_placeholder_names_the_earlier_call(text: str, position: int) -> None:
    assert find_reference(call(text), EARLIER) == Reference("message[0].text", text, position)


@pytest.mark.parametrize("text", PLAIN)
def test_plain_text_is_no_placeholder(text: str) -> None:
    assert find_reference(call(text), EARLIER) is None


@pytest.mark.parametrize("text", [text for text, _ in PLACEHOLDERS])
def test_nothing_is_a_placeholder_in_the_first_call(text: str) -> None:
    assert find_reference(call(text), ()) is None


def test_numbers_past_the_earlier_calls_are_no_placeholders() -> None:
    assert find_reference(call("$2"), EARLIER[:1]) is None


def test_short_ids_count_only_in_brackets() -> None:
    earlier = (ToolCall("search", {}, id="a1"),)
    assert find_reference(call("a1"), earlier) is None
    assert find_reference(call("{{a1}}"), earlier) == Reference("message[0].text", "{{a1}}", 0)


def test_the_latest_call_of_a_tool_is_meant() -> None:
    earlier = (*EARLIER, ToolCall("search", {}))
    assert find_reference(call("{{search}}"), earlier) == Reference("message[0].text", "{{search}}", 2)


def test_calls_that_come_later_are_not_meant() -> None:
    for text in ("{{later}}", "later_1", "{{notify.text}}", "$3"):
        assert find_reference(call(text), EARLIER) is None


def test_a_reply_of_thousands_of_calls_is_read_in_one_pass() -> None:
    """Looking through all calls for each call would take minutes."""
    calls = [ToolCall("search", {"query": "{{x}} result"}, id=f"call_{number}") for number in range(3000)]
    references = References(calls)
    assert [references.find(position) for position in range(3000)] == [None] * 3000


@given(st.recursive(st.none() | st.integers() | st.text(alphabet="${}<>[]()#E12 acehlrstu_."), st.lists))
def test_any_arguments_are_looked_through(value: Any) -> None:
    reference = find_reference(call(value), EARLIER)
    assert reference is None or reference.position in (0, 1)


@pytest.mark.parametrize("unit", ["{{", "${", "{{a", "<", "call ", "result ", "{{search "])
def test_long_texts_are_read_in_one_pass(unit: str) -> None:
    """Quadratic work on this text would take minutes."""
    assert find_reference(call(unit * 200_000), EARLIER) is None


def test_deep_arguments_are_no_problem() -> None:
    value: Any = "$1"
    for _ in range(50_000):
        value = [value]
    reference = find_reference(call(value), EARLIER)
    assert reference is not None
    assert reference.position == 0
