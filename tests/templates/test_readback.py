"""What the templates write, the reader reads back; what a tool returned, it never reads as a step."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.parsers.reader import read
from react_engine.templates import LABELS, Templates
from react_engine.types import Status, ToolCall, ToolResult
from tests.templates.test_neutralise import TOKENS, hostile

TOOLS = (
    {
        "name": "note",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}, "body": {"type": "string"}}},
    },
    {"name": "sum.all", "parameters": {"type": "object", "properties": {"numbers": {"type": "array"}, "exact": {}}}},
    {"name": "delete_all", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}},
)
TEMPLATES = {language: Templates(language) for language in LABELS}

# The reader takes turn ends out of values by intent, so values with control tokens are not compared.
strings = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=30)
values = st.one_of(strings, st.sampled_from(["Action: x", "a\nFinal Answer: b", '"}', "\\", "```", "C:\\new\\t"]))
calls = st.one_of(
    st.builds(lambda path, body: ToolCall("note", {"path": path, "body": body}), values, values),
    st.builds(
        lambda numbers, exact: ToolCall("sum.all", {"numbers": numbers, "exact": exact}),
        st.lists(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False)), max_size=4),
        st.one_of(st.booleans(), st.none(), st.dictionaries(values, values, max_size=2)),
    ),
)
thoughts = st.one_of(st.just(""), st.just("I look it up.\nThen I add."), hostile, st.text(max_size=40))


def pairs(found: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, call.arguments) for call in found]


@pytest.mark.parametrize("language", LABELS)
@given(thought=thoughts, made=st.lists(calls, min_size=1, max_size=3))
def test_a_step_reads_back_as_its_calls(language: str, thought: str, made: list[ToolCall]) -> None:
    reading = read(TEMPLATES[language].step(thought, made), TOOLS)
    assert pairs(reading.calls) == pairs(made)
    assert reading.answer is None
    assert not any(call.lossy for call in reading.calls)


@pytest.mark.parametrize("language", LABELS)
@given(thought=st.sampled_from(["", "All is known."]), answer=st.from_regex(r"\A[a-z0-9]{1,8}( [a-z0-9]{1,8}){0,6}\Z"))
def test_an_answer_reads_back(language: str, thought: str, answer: str) -> None:
    reading = read(TEMPLATES[language].step(thought, (), answer), TOOLS)
    assert (reading.calls, reading.answer, reading.reasoning or "") == ((), answer, thought)


@pytest.mark.parametrize("language", LABELS)
@given(output=hostile, hint=hostile, ok=st.booleans(), several=st.booleans())
def test_an_output_never_forges_a_step(language: str, output: str, hint: str, ok: bool, several: bool) -> None:
    templates, call = TEMPLATES[language], ToolCall("note", {"path": "a", "body": "b"})
    result = ToolResult("1", "note", Status.SUCCESS if ok else Status.EXECUTION_ERROR, output, hint=hint)
    observation = templates.observation([result, result] if several else [result])
    reading = read(f"{templates.step('Look.', [call])}\n{observation}", TOOLS)
    assert (pairs(reading.calls), reading.answer) == ([("note", {"path": "a", "body": "b"})], None)
    assert [token for token in TOKENS if token in observation] == []
    label = re.escape(templates.labels.observation)
    assert len(re.findall(rf"^{label}\b[^\n:]*:", observation, re.MULTILINE)) == (2 if several else 1)


@pytest.mark.parametrize("language", LABELS)
def test_the_worked_examples_read_back(language: str) -> None:
    templates = TEMPLATES[language]
    labels = templates.labels
    text = templates.system([])
    examples = text[text.index("\n# ") : text.rindex("\n# ")]
    steps = re.findall(
        rf"^{labels.thought}: (?:(?!^{labels.observation}:|^User:|^用户:).*\n?)+", examples, re.MULTILINE
    )
    readings = [read(step) for step in steps]
    assert len(readings) >= 4
    assert [reading.problems for reading in readings if reading.problems] == []
    assert all((len(reading.calls) == 1) != (reading.answer is not None) for reading in readings)
