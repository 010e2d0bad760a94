"""One validator for typed tools and for tools with a schema."""

from __future__ import annotations

import enum
import json
import math
from collections.abc import Callable
from datetime import date
from types import MappingProxyType
from typing import Annotated, Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model, model_validator

from react_engine.errors import InvalidArguments
from react_engine.shapes import Repair
from react_engine.tools.formats import CHECKS
from react_engine.tools.function import tool, tool_from_model, tool_from_schema
from react_engine.tools.tool import Tool, ToolParameter, TypedArguments
from react_engine.tools.validation import Validated, canonical, validate
from react_engine.types import Problem
from tests.strategies import json_objects, json_values, schemas_with_arguments, tool_schemas

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 2},
        "days": {"type": "integer", "minimum": 1, "maximum": 7},
        "unit": {"type": "string", "enum": ["metric", "imperial"]},
        "stops": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
    },
    "required": ["city"],
    "additionalProperties": False,
}


class Unit(enum.StrEnum):
    METRIC = "metric"
    IMPERIAL = "imperial"


class Stop(BaseModel):
    name: str = ""


@tool(name="weather")
def typed(
    city: Annotated[str, Field(min_length=2)],
    days: Annotated[int, Field(ge=1, le=7)] = 1,
    unit: Unit = Unit.METRIC,
    stops: list[Stop] = [],  # noqa: B006
) -> Any:
    return city, days, unit, stops


def from_schema(schema: dict[str, Any], name: str = "weather") -> Tool:
    return tool_from_schema(name, "", schema, lambda arguments: arguments, pass_dict=True)


BOTH = pytest.mark.parametrize("made", [typed, from_schema(SCHEMA)], ids=["typed", "schema"])


def outcome_of(made: Tool, arguments: dict[str, Any]) -> Validated | tuple[Problem, ...]:
    try:
        return validate(made, arguments)
    except InvalidArguments as error:
        return error.problems


def problems_of(made: Tool, arguments: Any) -> tuple[Problem, ...]:
    with pytest.raises(InvalidArguments) as caught:
        validate(made, arguments)
    assert caught.value.tool == made.name
    assert "pydantic.dev" not in str(caught.value)
    return caught.value.problems


@BOTH
def test_arguments_are_mended_and_the_repairs_told(made: Tool) -> None:
    validated = validate(made, {"city": "Graz", "days": "3", "unit": "Metric", "stops": {"name": "a"}})
    assert validated.plain == {"city": "Graz", "days": 3, "unit": "metric", "stops": [{"name": "a"}]}
    assert validated.repairs == (
        Repair("number-in-string", ("days",)),
        Repair("enum-spelling", ("unit",)),
        Repair("wrapped-item", ("stops",)),
    )


@BOTH
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, Problem("missing-argument", "city is missing (string).", "Add city.")),
        (
            {"city": "Graz", "dasy": 3},
            Problem("unknown-argument", "dasy is unknown.", "Did you mean days?"),
        ),
        (
            {"city": "Graz", "zzz": 3},
            Problem("unknown-argument", "zzz is unknown.", "Leave it out, or use one of: days, unit, stops."),
        ),
        (
            {"city": "Graz", "days": "three"},
            Problem("wrong-type", 'days must be integer, got "three".', "Write a whole number without quotes, such as 3."),
        ),
        (
            {"city": "Graz", "unit": "metricc"},
            Problem("not-allowed", 'unit must be "metric" | "imperial", got "metricc".', "Did you mean metric?"),
        ),
        (
            {"city": None},
            Problem("wrong-type", "city must be string, got null.", "Write text in double quotes."),
        ),
        (
            {"city": "Graz", "stops": [{"name": "a"}, {"name": {"x": 1}}]},
            Problem("wrong-type", 'stops[1].name must be string, got {"x": 1}.', "Write text in double quotes."),
        ),
        (
            {"city": "Graz", "stops": 'x'},
            Problem("wrong-type", 'stops must be list[{name?: string}], got "x".', 'Write a JSON array, such as ["a", "b"].'),
        ),
    ],
)  # fmt: skip
def test_each_problem_names_field_expectation_find_and_a_way_out(
    made: Tool, arguments: dict[str, Any], problem: Problem
) -> None:
    assert problems_of(made, arguments) == (problem,)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (typed, "days must be less than or equal to 7, got 9."),
        (from_schema(SCHEMA), "days must be at most 7, got 9."),
    ],
)
def test_limits_are_checked_together_with_structure(made: Tool, said: str) -> None:
    assert [problem.message for problem in problems_of(made, {"days": 9})] == ["city is missing (string).", said]


def test_typed_tools_get_python_values() -> None:
    validated = validate(typed, {"city": "Graz", "unit": "imperial", "stops": [{"name": "a"}]})
    assert isinstance(validated.arguments, TypedArguments)
    assert validated.arguments == {"city": "Graz", "unit": Unit.IMPERIAL, "stops": [Stop(name="a")]}
    assert type(validated.arguments["unit"]) is Unit
    assert typed.run(validated.arguments) == ("Graz", 1, Unit.IMPERIAL, [Stop(name="a")])


def test_schema_tools_get_plain_values_and_those_that_fit_untouched() -> None:
    arguments = {"city": "Graz"}
    validated = validate(from_schema(SCHEMA), arguments)
    assert validated == Validated({"city": "Graz"}, (), {"city": "Graz"})
    assert validated.plain is arguments
    assert validated.arguments is not arguments


def test_a_tool_subclass_is_checked_by_its_schema() -> None:
    class Roll(Tool):
        def run(self, parameters: dict[str, Any]) -> str:
            return str(parameters["sides"])

        def get_parameters(self) -> list[ToolParameter]:
            return [ToolParameter("sides", "integer", schema={"minimum": 2})]

    roll = Roll("roll", "Roll a die.")
    assert roll.run(validate(roll, {"sides": "6"}).arguments) == "6"
    assert problems_of(roll, {"sides": 1}) == (Problem("invalid-value", "sides must be at least 2, got 1."),)


def test_a_subclass_with_a_model_gets_values_by_name() -> None:
    class Booked(Tool):
        @property
        def arguments_model(self) -> Any:
            return create_model("Booking", day=(date, Field(alias="on")), seats=(int, 1))

        def run(self, parameters: dict[str, Any]) -> Any:
            return parameters

        def get_parameters(self) -> list[ToolParameter]:
            return [
                ToolParameter("on", schema={"format": "date"}),
                ToolParameter("seats", "integer", required=False),
            ]

    booked = Booked("book", "")
    assert validate(booked, {"on": "2024-05-01"}).arguments == {"on": date(2024, 5, 1), "seats": 1}


@pytest.mark.parametrize(
    ("annotation", "written", "hint"),
    [
        (date, "2024-13-01", "Write a date as YYYY-MM-DD."),
        (date, "1700000000", "Write a date as YYYY-MM-DD."),
        (date, 1700000000, "Write a date as YYYY-MM-DD."),
        (UUID, "no", "Write a UUID."),
    ],
)
def test_what_stands_for_a_python_type_is_explained(annotation: Any, written: Any, hint: str) -> None:
    model = create_model("M", value=annotation)
    made = tool_from_model(model, lambda instance: instance, name="x")
    (problem,) = problems_of(made, {"value": written})
    assert problem.message.startswith("value must be")
    assert problem.hint == hint


class Span(BaseModel):
    start: int
    end: int | date

    @model_validator(mode="after")
    def in_order(self) -> Span:
        if isinstance(self.end, int) and self.end < self.start:
            raise ValueError("end comes before start")
        if self.start == 13:
            raise KeyError("unlucky")
        return self


def test_validators_of_the_author_speak_for_themselves() -> None:
    made = tool_from_model(Span, lambda span: span, name="span")
    assert problems_of(made, {"start": 2, "end": 1}) == (Problem("invalid-value", "end comes before start."),)
    (failed,) = problems_of(made, {"start": 13, "end": 20})
    assert failed == Problem("invalid-value", "A check of the tool failed: KeyError: 'unlucky'.")
    assert problems_of(made, {"start": 2, "end": "soon"})[0].message.startswith("end must be")


@pytest.mark.parametrize(
    ("field", "value", "message", "hint"),
    [
        ({"multipleOf": 5}, 3, "f must be a multiple of 5, got 3.", ""),
        ({"exclusiveMinimum": 0}, 0, "f must be greater than 0, got 0.", ""),
        ({"type": "string", "maxLength": 2}, "abc", 'f must have at most 2 characters, got "abc".', ""),
        ({"type": "string", "pattern": "^a+$"}, "b", 'f must have the pattern "^a+$", got "b".', ""),
        ({"type": "array", "minItems": 1}, [], "f must have at least 1 items, got [].", ""),
        ({"uniqueItems": True}, [1, 1], "f must not repeat an item, got [1, 1].", ""),
        (
            {"type": "string", "format": "date"},
            "soon",
            'f must be a date as YYYY-MM-DD, got "soon".',
            "Write a date as YYYY-MM-DD.",
        ),
        ({"not": {"const": 3}}, 3, "f does not fit: 3 should not be valid under {'const': 3}, got 3.", ""),
        ({"oneOf": [{"minimum": 1}, {"maximum": 5}]}, 3, "f must fit exactly one of the alternatives, got 3.", ""),
        ({"anyOf": [{"type": "integer", "minimum": 5}, {"type": "null"}]}, 3, "f must be at least 5, got 3.", ""),
        ({"minProperties": 1}, {}, "f must have at least 1 fields, got {}.", ""),
        (
            {"properties": {"a": {}}, "unevaluatedProperties": False},
            {"b": 1},
            "f.b is unknown.",
            "Leave it out, or use one of: a.",
        ),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "f does not fit: 'b' is a dependency of 'a', got {\"a\": 1}.", ""),
    ],
)  # fmt: skip
def test_keywords_of_json_schema_are_told_in_words(field: Any, value: Any, message: str, hint: str) -> None:
    made = from_schema({"type": "object", "properties": {"f": field}})
    (problem,) = problems_of(made, {"f": value})
    assert (problem.message, problem.hint) == (message, hint)


def test_conditions_of_a_schema_are_checked() -> None:
    schema = {
        "type": "object",
        "properties": {"kind": {"enum": ["post", "mail"]}, "address": {"type": "string"}},
        "if": {"properties": {"kind": {"const": "post"}}},
        "then": {"required": ["address"]},
    }
    made = from_schema(schema)
    assert validate(made, {"kind": "mail"}).arguments == {"kind": "mail"}
    assert problems_of(made, {"kind": "post"}) == (Problem("missing-argument", "address is missing.", "Add address."),)


def test_a_bare_number_is_no_date_and_no_time() -> None:
    made = from_schema({"type": "object", "properties": {"when": {"type": "string", "format": "time"}}})
    for written in ("12", 12):
        (problem,) = problems_of(made, {"when": written})
        assert problem.hint == "Write a time as HH:MM:SS."


def test_unions_of_recursive_lists_take_no_time_to_refuse() -> None:
    either = [{"type": "array", "items": {"$ref": "#/$defs/l"}}, {"type": "integer"}]
    schema = {
        "type": "object",
        "properties": {"l": {"$ref": "#/$defs/l"}},
        "$defs": {
            "l": {"anyOf": [*either, {"type": "array", "items": {"type": "array", "items": {"$ref": "#/$defs/l"}}}]}
        },
    }
    value: Any = "x"
    for _ in range(45):
        value = [value]
    assert problems_of(from_schema(schema), {"l": value})


def test_references_and_drafts_are_understood() -> None:
    made = from_schema(
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {"pair": {"items": [{"type": "integer"}, {"$ref": "#/definitions/word"}]}},
            "definitions": {"word": {"type": "string"}},
        }
    )
    assert validate(made, {"pair": ["1", 2]}).arguments == {"pair": [1, "2"]}


def test_anchors_and_pointers_lead_to_definitions() -> None:
    made = from_schema(
        {
            "type": "object",
            "properties": {"a": {"$ref": "#word"}, "b": {"$ref": "#/$defs/odd~1name%20"}},
            "$defs": {"w": {"$anchor": "word", "type": "string"}, "odd/name ": {"type": "integer"}},
        }
    )
    assert validate(made, {"a": "x", "b": "3"}).arguments == {"a": "x", "b": 3}
    assert problems_of(made, {"a": 3}) == (
        Problem("wrong-type", "a must be string, got 3.", "Write text in double quotes."),
    )


def test_a_pattern_that_never_ends_is_given_up() -> None:
    made = from_schema({"type": "object", "properties": {"f": {"type": "string", "pattern": "^(a|a)*$"}}})
    (problem,) = problems_of(made, {"f": "a" * 40 + "b"})
    assert "it takes too long" in problem.message


@pytest.mark.parametrize("arguments", ["x", None, 3, ["a", "b"]])
@BOTH
def test_what_is_no_object_is_refused(made: Tool, arguments: Any) -> None:
    assert problems_of(made, arguments)[0].message.startswith("the arguments must be {city: string")


@BOTH
def test_an_object_written_as_text_is_read(made: Tool) -> None:
    assert validate(made, '{"city": "Graz"}').plain == {"city": "Graz"}  # type: ignore[arg-type]
    assert validate(made, MappingProxyType({"city": "Graz"})).plain == {"city": "Graz"}


def test_many_problems_are_cut_and_equal_hints_said_once() -> None:
    schema = {"type": "object", "properties": {f"n{i}": {"type": "integer"} for i in range(15)}}
    found = problems_of(from_schema(schema), {f"n{i}": "x" for i in range(15)})
    assert len(found) == 11
    assert found[-1] == Problem("more", "There are more problems.", "Mend these first.")
    assert [problem.hint for problem in found[:2]] == ["Write a whole number without quotes, such as 3.", ""]


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return value


def test_deep_arguments_are_refused_not_overflowed() -> None:
    made = from_schema({"type": "object", "properties": {"a": {"$ref": "#"}}})
    assert problems_of(made, nested(5000))[0].code == "too-deep"

    @tool
    def loose(a: Any) -> Any:
        return a

    assert validate(loose, {"a": nested(5000)}).plain["a"]


def test_unknown_names_with_odd_characters_are_quoted() -> None:
    (problem,) = problems_of(typed, {"city": "Graz", "a b": {}})
    assert problem.message == '["a b"] is unknown.'


def test_strange_values_are_shown_short() -> None:
    (problem,) = problems_of(typed, {"city": "Graz", "days": "x" * 10_000})
    assert len(problem.message) < 120
    (problem,) = problems_of(typed, {"city": "Graz", "days": {"a": "x" * 10_000}})
    assert len(problem.message) < 120
    (problem,) = problems_of(typed, {"city": "Graz", "days": list(range(10_000))})
    assert problem.message == "days must be integer, got an array with 10000 entries."


@BOTH
def test_a_long_list_of_wrong_items_is_no_trouble(made: Tool) -> None:
    found = problems_of(made, {"city": "Graz", "stops": [3] * 50_000})
    assert len(found) == 11
    assert found[0].message == "stops[0] must be {name?: string}, got 3."


@given(schemas_with_arguments())
def test_arguments_that_fit_pass_untouched(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    schema, arguments = pair
    validated = validate(from_schema(schema), arguments)
    assert validated == Validated(arguments, (), arguments)
    assert validated.plain is arguments


@given(tool_schemas(), json_objects())
def test_validated_arguments_fit_and_all_others_have_problems(
    schema: dict[str, Any], arguments: dict[str, Any]
) -> None:
    made = from_schema(schema)
    outcome = outcome_of(made, arguments)
    if isinstance(outcome, Validated):
        assert made.shape.fits(outcome.arguments)
        assert made.checker.is_valid(outcome.arguments)
    else:
        assert outcome
        assert all(problem.message for problem in outcome)


@given(json_objects())
def test_a_typed_tool_answers_anything_with_values_or_problems(arguments: dict[str, Any]) -> None:
    outcome = outcome_of(typed, arguments)
    assert typed.shape.fits(outcome.plain) if isinstance(outcome, Validated) else outcome


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("date", ["2024-02-29"], ["2023-02-29", "soon", "2024-2-9"]),
        ("date-time", ["2024-05-01T10:00:00Z", "2024-05-01T10:00", "2024-05-01 10:00:00+02:00"], ["2024-05-01", "x"]),
        ("time", ["10:00:00", "10:00"], ["25:00", "x"]),
        ("duration", ["P1D", "PT1H30M", "P2W", "PT0.5S"], ["P", "PT", "1h", ""]),
        ("email", ["a@b.c"], ["a", "a b@c", "@"]),
        ("hostname", ["example.org", "a"], ["-a.org", "a..b", "", "x" * 64]),
        ("ipv4", ["127.0.0.1"], ["1.2.3", "256.1.1.1"]),
        ("ipv6", ["::1"], ["127.0.0.1"]),
        ("uri", ["https://example.org/a?b=c", "mailto:a@b.c"], ["example.org", "http://a b"]),
        ("uuid", ["123e4567-e89b-12d3-a456-426614174000"], ["x"]),
    ],
)
def test_formats_are_checked(name: str, good: list[str], bad: list[str]) -> None:
    made = from_schema({"type": "object", "properties": {"f": {"type": "string", "format": name}}})
    for text in good:
        assert validate(made, {"f": text})
    for text in bad:
        assert problems_of(made, {"f": text})


def test_every_format_has_a_test() -> None:
    cases: Any = next(mark for mark in test_formats_are_checked.pytestmark if mark.name == "parametrize")  # type: ignore[attr-defined]
    assert {case[0] for case in cases.args[1]} == set(CHECKS)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"a": 1, "b": [1.0, None]}, {"b": [1, None], "a": 1.0}),
        ({"a": (1, 2)}, {"a": [1, 2]}),
        ({"a": {3, 1}}, {"a": {1, 3}}),
        ({"a": -0.0}, {"a": 0}),
        ({"a": math.nan}, {"a": math.nan}),
        ({"a": Unit.METRIC}, {"a": "metric"}),
        ({"a": date(2024, 5, 1)}, {"a": date(2024, 5, 1)}),
        ({"a": Stop(name="x")}, {"a": Stop(name="x")}),
        (TypedArguments({"a": 1}, None), {"a": 1}),
    ],
)
def test_equal_arguments_have_one_canonical_text(left: Any, right: Any) -> None:
    assert canonical(left) == canonical(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"a": 1}, {"a": True}),
        ({"a": "1"}, {"a": 1}),
        ({"a": None}, {}),
        ({"a": [1, [2]]}, {"a": [[1], 2]}),
        ({"a": "x", "b": "y"}, {"a": 'x","b":"y'}),
        ({"a": 10**400}, {"a": 10**400 + 1}),
        ({1: "a"}, {"x": "a"}),
        ({"a": math.inf}, {"a": -math.inf}),
    ],
)
def test_different_arguments_have_different_canonical_texts(left: Any, right: Any) -> None:
    assert canonical(left) != canonical(right)


@given(json_values(), st.randoms())
def test_the_canonical_text_is_json_and_ignores_the_order_of_keys(value: Any, random: Any) -> None:
    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            items = list(value.items())
            random.shuffle(items)
            return {key: shuffled(item) for key, item in items}
        return [shuffled(item) for item in value] if isinstance(value, list) else value

    assert json.loads(canonical(value)) == value
    assert canonical(shuffled(value)) == canonical(value)


def _in_itself() -> Any:
    loop: list[Any] = [1]
    loop.append({"again": loop})
    return loop


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("make", "start"),
    [
        (_in_itself, '[1,{"again":"<cycle>"}]'),
        (lambda: nested(50_000), '{"a":{"a":'),
        (lambda: 10**50_000, "0x"),
        (Broken, '"<Broken at'),
        (lambda: "\ud800", '"\\ud800"'),
    ],
)
def test_odd_values_have_a_canonical_text(make: Callable[[], Any], start: str) -> None:
    assert canonical(make()).startswith(start)
