"""Whatever a grammar accepts, the reader reads as that step."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from react_engine.constraints.frames import Order, step_grammar
from react_engine.constraints.json_steps import step_schema
from react_engine.labels import LABELS
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.reader import read
from react_engine.tools.function import tool_from_schema
from react_engine.tools.tool import Tool
from react_engine.types import Reading
from tests.constraints.sampling import accepts, sample, sample_schema
from tests.driving import TOOLS

SEEDS = st.integers(0, 2**32)


def from_schema(name: str, schema: dict[str, Any]) -> Tool:
    return tool_from_schema(name, "A tool.", schema, lambda **_: "done")


BOOKING = from_schema(
    "book.flight",
    {
        "type": "object",
        "properties": {
            "day": {"type": "string", "format": "date"},
            "seats": {"type": "integer", "minimum": 1, "maximum": 9},
            "price": {"type": "number", "minimum": 0},
            "class": {"enum": ["economy", "first", None]},
            "names": {"type": "array", "items": {"$ref": "#/$defs/name"}, "minItems": 1, "maxItems": 3},
            "extra": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "meta": {"type": "object"},
            "any": {},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
        },
        "required": ["seats", "names"],
        "additionalProperties": False,
        "$defs": {"name": {"type": "object", "properties": {"first": {"type": "string", "maxLength": 8}}}},
    },
)
NOTHING = from_schema("ping", {"type": "object", "properties": {}})
ALL = (*TOOLS, BOOKING, NOTHING)
INDEX = ToolIndex(ALL)


def order(choice: str = "auto", language: str = "en", **options: Any) -> Order:
    return Order(ALL, LABELS[language], choice, **options)


def reading(text: str) -> Reading:
    return read(text, INDEX, "react", finish_reason="stop")


def check(found: Reading, text: str) -> None:
    """A step with calls whose arguments fit, or an answer; never both, never a problem."""
    assert not found.problems, text
    assert bool(found.calls) != (found.answer is not None), text
    for call in found.calls:
        assert call.problem is None, text
        assert INDEX[call.name].shape.fits(dict(call.arguments)), text
        assert not any(tolerance.lossy for tolerance in call.tolerances), text


@pytest.mark.parametrize("language", ["en", "zh"])
@settings(max_examples=200)
@given(seed=SEEDS)
def test_what_the_grammar_accepts_is_read_as_a_step(language: str, seed: int) -> None:
    text = sample(step_grammar(order(language=language, several=True)), seed)
    labels, found = LABELS[language], reading(text)
    check(found, text)
    answered = f"\n{labels.final_answer}: " in text
    assert (found.answer is not None) == answered
    if not answered:
        assert len(found.calls) == text.count(f"\n{labels.action_input}: {{")


@settings(max_examples=20)
@given(seed=SEEDS)
def test_a_reply_that_goes_on_behind_the_label_is_read_with_it(seed: int) -> None:
    text = "Thought:" + sample(step_grammar(order(begun=True)), seed)
    check(reading(text), text)


@settings(max_examples=20)
@given(seed=SEEDS)
def test_a_named_tool_is_called_and_no_other(seed: int) -> None:
    found = reading(sample(step_grammar(order("book.flight")), seed))
    assert [call.name for call in found.calls] == ["book.flight"]


@settings(max_examples=20)
@given(seed=SEEDS, choice=st.sampled_from(["required", "none"]))
def test_a_required_call_is_made_and_a_forced_answer_given(seed: int, choice: str) -> None:
    found = reading(sample(step_grammar(order(choice)), seed))
    assert bool(found.calls) == (choice == "required")


@settings(max_examples=200)
@given(seed=SEEDS)
def test_what_the_json_schema_accepts_is_read_as_a_step(seed: int) -> None:
    text = sample_schema(json.dumps(step_schema(order())), seed)
    step = json.loads(text)
    assume("Infinity" not in json.dumps(step))  # 1e999 is JSON, but no number that a tool could take
    assume(not re.search(r"[A-Za-z]:\\", text))  # what looks like a path of Windows is read as one
    found = reading(text)
    assert not found.problems, text
    assert [call.name for call in found.calls] == ([step["action"]] if "action" in step else [])
    assert found.answer == (step["final_answer"].strip() if "final_answer" in step else None)


CALL = 'Thought: Known: nothing. Next: add.\nAction: add\nAction Input: {"a": 1, "b": -2.5}'
ANSWER = "Thought: Known: all of it. Next: answer.\nFinal Answer: It is 5 < 6, [so](x) {it} is.\n\n- done"


@pytest.mark.parametrize(
    ("text", "choice", "accepted"),
    [
        (CALL, "auto", True),
        (CALL, "required", True),
        (CALL, "none", False),
        (CALL, "lookup", False),
        (ANSWER, "auto", True),
        (ANSWER, "required", False),
        (ANSWER, "none", True),
        (f"{CALL}\nObservation:", "auto", True),
        ("Thought: hm\nmore\nFinal Answer: 5", "auto", False),
        (CALL.replace("add\n", "subtract\n"), "auto", False),
        (CALL.replace('"b"', '"c"'), "auto", False),
        (CALL.replace("-2.5", "true"), "auto", False),
    ],
)
def test_an_answer_is_allowed_where_no_call_is_required(text: str, choice: str, accepted: bool) -> None:
    assert accepts(step_grammar(order(choice)), text) is accepted


def test_several_calls_stand_in_a_reply_only_where_the_model_may() -> None:
    twice = f'{CALL}\nAction: lookup\nAction Input: {{"city": "Rome"}}'
    assert accepts(step_grammar(order(several=True)), twice)
    assert not accepts(step_grammar(order(several=False)), twice)


def test_without_tools_only_an_answer_is_left() -> None:
    grammar = step_grammar(Order((), LABELS["en"], "required"))
    assert accepts(grammar, ANSWER)
    assert not accepts(grammar, CALL)


def test_strings_and_numbers_end() -> None:
    grammar = step_grammar(order())
    assert not accepts(grammar, CALL.replace("-2.5", "1" * 40))
    assert not accepts(grammar, f'Thought: x\nAction: lookup\nAction Input: {{"city": "{"x" * 5000}"}}')


@pytest.mark.parametrize("bound", ["minLength", "maxLength", "minItems", "maxItems"])
def test_no_bound_of_a_schema_makes_a_grammar_too_large_to_be_taken(bound: str) -> None:
    value = {"type": "string" if bound.endswith("Length") else "array", bound: 10**9}
    tool = from_schema("keep", {"type": "object", "properties": {"value": value}, "required": ["value"]})
    grammar = step_grammar(Order((tool,), LABELS["en"]))
    assert max(int(number) for number in re.findall(r"[{,](\d+)\}", grammar)) <= 600
    written = json.dumps({"value": "x" * 600 if bound.endswith("Length") else [1] * 20})
    assert accepts(grammar, f"Thought: x\nAction: keep\nAction Input: {written}")


@pytest.mark.parametrize(
    ("arguments", "accepted"),
    [
        ('{"seats": 9, "names": [{"first": "Al"}]}', True),
        ('{"day": "2031-05-02", "seats": 1, "price": 0.5, "class": "first", "names": [{}]}', True),
        ('{"seats": 10, "names": [{}]}', False),
        ('{"seats": 1, "names": []}', False),
        ('{"seats": 1, "price": -1, "names": [{}]}', False),
        ('{"names": [{}]}', False),
        ('{"seats": 1, "names": [{"first": "too long by far"}]}', False),
        ('{"seats": 1, "names": [{}], "pair": ["a", 1]}', True),
        ('{"seats": 1, "names": [{}], "any": {"deep": [1, null, {"x": true}]}}', True),
    ],
)
def test_arguments_follow_the_schema(arguments: str, accepted: bool) -> None:
    text = f"Thought: book\nAction: book.flight\nAction Input: {arguments}"
    assert accepts(step_grammar(order()), text) is accepted


def test_a_recursive_schema_has_an_end() -> None:
    tree = {"type": "object", "properties": {"left": {"$ref": "#"}, "value": {"type": "integer"}}}
    grammar = step_grammar(Order((from_schema("plant", tree),), LABELS["en"]))
    assert accepts(grammar, 'Thought: x\nAction: plant\nAction Input: {"left": {"left": {"value": 1}}}')
    assert len(grammar) < 20_000


def test_a_schema_with_many_ways_back_to_itself_stays_small() -> None:
    tree = {"type": "object", "properties": {f"child{n}": {"$ref": "#"} for n in range(12)}}
    grammar = step_grammar(Order((from_schema("plant", tree),), LABELS["en"]))
    assert len(grammar) < 20_000
    assert accepts(grammar, 'Thought: x\nAction: plant\nAction Input: {"child3": {"child0": {}, "child9": {}}}')


@pytest.mark.parametrize(
    "schema",
    [
        {"enum": []},
        {"type": ["string", "null"], "maxLength": 0},
        {"allOf": [{"type": "string"}, {"type": "number"}]},
        {"oneOf": [{"type": "integer"}, {"type": "object", "properties": {"a": {"const": '\n"x'}}}]},
        {"type": "array", "maxItems": 0},
        {"type": "array", "minItems": 30},
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "string", "pattern": "^[a-z]+$", "minLength": 900},
        {"type": "integer", "minimum": -3, "maximum": 4},
    ],
    ids=str,
)
def test_whatever_the_schema_the_grammar_is_one(schema: dict[str, Any]) -> None:
    tools = (from_schema("odd", {"type": "object", "properties": {"x": schema, '"y\\': {}}}),)
    assert sample(step_grammar(Order(tools, LABELS["en"], "required")), 1)


def test_five_hundred_tools_are_a_grammar() -> None:
    tools = tuple(
        from_schema(f"tool{n}", {"type": "object", "properties": {"x": {"type": "string"}}}) for n in range(500)
    )
    grammar = step_grammar(Order(tools, LABELS["en"]))
    assert accepts(grammar, 'Thought: x\nAction: tool499\nAction Input: {"x": "y"}')


def test_names_in_any_script_are_offered() -> None:
    schema = {"type": "object", "properties": {"城市": {"type": "string"}}}
    grammar = step_grammar(Order((from_schema("天气", schema),), LABELS["zh"]))
    assert accepts(grammar, '思考: 查\n行动: 天气\n行动输入: {"城市": "北京"}')


def test_a_tool_without_parameters_is_called_with_an_empty_object() -> None:
    anything = from_schema("ping", {"type": "object", "properties": {}, "additionalProperties": True})

    def takes(tool: Tool, written: str) -> bool:
        return accepts(
            step_grammar(Order((tool,), LABELS["en"], "required")),
            f"Thought: hm\nAction: ping\nAction Input: {written}",
        )

    assert takes(NOTHING, "{}")
    assert not takes(NOTHING, '{"host": 1}')
    assert takes(anything, "{}")
    assert takes(anything, '{"host": 1}')
