"""Runs and readings as plain data: always valid JSON, and nothing in it that must not be seen."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from react_engine import EndState, ModelTimeout, Run, Span, Status, ToolResult, Usage, read
from react_engine.serialization import as_data, run_data


def test_a_reading_becomes_objects_lists_and_spans() -> None:
    data = as_data(read('Action: add\nAction Input: {"a": 1}'))
    assert (data["calls"][0]["name"], data["calls"][0]["span"]) == ("add", [0, 34])
    assert json.loads(json.dumps(data)) == data


def test_a_run_has_its_total_and_its_error_by_name() -> None:
    run = Run(EndState.ERROR, None, usage=Usage(3, 4), error=ModelTimeout("Too slow.", hint="Wait."))
    data = run_data(run)
    assert (data["end"], data["usage"]["total_tokens"]) == ("error", 7)
    assert data["error"] == {"type": "ModelTimeout", "message": "Too slow. Wait."}


def test_a_secret_result_and_the_object_a_tool_gave_are_left_out() -> None:
    secret = ToolResult("1", "key", Status.SUCCESS, "open sesame", hint="say it", value="open sesame", secret=True)
    assert "sesame" not in json.dumps(as_data([secret, {"deep": (secret,)}]))
    assert as_data(secret)["text"] == as_data(secret)["hint"] == "<secret>"
    assert "value" not in as_data(ToolResult("1", "add", Status.SUCCESS, "3", value=3))


def test_what_json_has_no_word_for_becomes_text() -> None:
    @dataclass
    class Odd:
        big: int = 1 << 20_000
        infinite: float = float("inf")
        kind: type = int

    data = as_data({1: Odd(), "half": "\ud83d"})
    assert data["1"]["big"] == hex(1 << 20_000)
    assert (data["1"]["infinite"], data["1"]["kind"]) == ("inf", "<class 'int'>")
    assert data["half"] == "?"


def test_deep_nesting_ends_somewhere() -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    text = json.dumps(as_data(nested))
    assert text == "[" * 61 + '"\\u2026"' + "]" * 61


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.builds(Span, st.integers(), st.integers()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner) | st.sets(st.integers()),
    max_leaves=20,
)  # fmt: skip


@given(VALUES)
def test_any_value_becomes_valid_json_that_utf_8_can_hold(value: Any) -> None:
    text = json.dumps(as_data(value), ensure_ascii=False, allow_nan=False)
    assert json.loads(text.encode("utf-8")) == as_data(value)
