"""One tool in the forms that providers and prompts want."""

from __future__ import annotations

import json
from datetime import date
from enum import Enum
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from react_engine.shapes import shape_of
from react_engine.tools.function import tool, tool_from_schema
from react_engine.tools.schema import (
    ArgumentRow,
    Signature,
    anthropic_tool,
    drop_nulls,
    openai_tool,
    responses_tool,
    signature,
    strict_schema,
    wire_names,
)
from react_engine.tools.tool import Tool
from tests.strategies import json_objects, odd_schemas, schemas_with_arguments


class Unit(Enum):
    """A system of units."""

    METRIC = "metric"
    IMPERIAL = "imperial"


class Item(BaseModel):
    text: str
    done: bool = False


@tool
def weather(
    city: str,
    unit: Unit = Unit.METRIC,
    days: Annotated[int, Field(ge=1, le=7)] = 3,
    tags: list[str] | None = None,
    items: list[Item] = [],  # noqa: B006
    since: date | None = None,
) -> None:
    """Weather of a city.

    Args:
        city: Name of the city,
            as people there write it.
        days: How far ahead.
    """


@tool
def now() -> None:
    pass


def made_from(schema: dict[str, Any], name: str = "x") -> Tool:
    return tool_from_schema(name, "", schema, lambda **_: None)


def test_openai_and_anthropic_get_the_schema_in_their_wrappers() -> None:
    schema = weather.schema
    described = {"name": "weather", "description": "Weather of a city."}
    assert openai_tool(weather) == {"type": "function", "function": {**described, "parameters": schema}}
    assert responses_tool(weather) == {"type": "function", **described, "parameters": schema, "strict": False}
    assert anthropic_tool(weather) == {**described, "input_schema": schema}
    assert openai_tool(now, name="now_")["function"] == {
        "name": "now_",
        "parameters": {"type": "object", "properties": {}, "additionalProperties": False},
    }


def test_strict_forms_say_so_and_fall_back_where_they_cannot_be() -> None:
    assert openai_tool(weather, strict=True)["function"]["strict"] is True
    assert responses_tool(weather, strict=True)["strict"] is True
    loose = made_from({"type": "object", "properties": {"any": {}}})
    assert openai_tool(loose, strict=True) == openai_tool(loose)
    assert responses_tool(loose, strict=True) == responses_tool(loose)


def test_every_form_is_json() -> None:
    for form in (openai_tool(weather, strict=True), responses_tool(weather), anthropic_tool(weather)):
        assert json.loads(json.dumps(form)) == form


def test_strict_schemas_require_everything_and_keep_what_they_may() -> None:
    narrowed = strict_schema(weather.schema)
    assert narrowed == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Name of the city, as people there write it."},
            "unit": {
                "description": '(default: "metric")',
                "anyOf": [{"$ref": "#/$defs/Unit"}, {"type": "null"}],
            },
            "days": {
                "type": ["integer", "null"],
                "minimum": 1,
                "maximum": 7,
                "description": "How far ahead. (default: 3)",
            },
            "tags": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
            "items": {
                "type": ["array", "null"],
                "items": {"$ref": "#/$defs/Item"},
                "description": "(default: [])",
            },
            "since": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
        },
        "required": ["city", "unit", "days", "tags", "items", "since"],
        "additionalProperties": False,
        "$defs": {
            "Item": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "done": {"type": ["boolean", "null"], "description": "(default: false)"},
                },
                "required": ["text", "done"],
                "additionalProperties": False,
            },
            "Unit": {"type": "string", "enum": ["metric", "imperial"], "description": "A system of units."},
        },
    }


@pytest.mark.parametrize(
    ("field", "narrowed"),
    [
        ({"enum": ["a", "b"]}, {"type": ["string", "null"], "enum": ["a", "b", None]}),
        (
            {"const": "a", "description": "d"},
            {"description": "d", "anyOf": [{"const": "a", "type": "string"}, {"type": "null"}]},
        ),
        ({"type": "string", "maxLength": 5}, {"type": ["string", "null"], "description": "(maxLength: 5)"}),
        ({"type": "string", "format": "uri"}, {"type": ["string", "null"], "description": "(format: uri)"}),
        ({"type": "string", "pattern": "^(?!a)"}, {"type": ["string", "null"], "description": "(pattern: ^(?!a))"}),
        ({"type": "string", "title": "T", "x-y": 1, "examples": ["a"]}, {"type": ["string", "null"]}),
        ({"oneOf": [{"type": "string"}, {"type": "null"}]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        (
            {"allOf": [{"$ref": "#/$defs/u"}], "description": "d"},
            {"description": "d", "anyOf": [{"$ref": "#/$defs/u"}, {"type": "null"}]},
        ),
        (
            {"type": "object", "additionalProperties": False},
            {"type": ["object", "null"], "properties": {}, "required": [], "additionalProperties": False},
        ),
    ],
)
def test_optional_properties_become_nullable(field: Any, narrowed: Any) -> None:
    schema = {"type": "object", "properties": {"f": field}, "$defs": {"u": {"type": "string"}}}
    found = strict_schema(schema)
    assert found is not None
    assert found["properties"]["f"] == narrowed
    assert found["required"] == ["f"]


@pytest.mark.parametrize(
    "field",
    [
        {},
        True,
        {"type": "object"},
        {"type": "array"},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": True},
        {"allOf": [{"type": "string"}, {"minLength": 1}]},
        {"type": "string", "not": {"const": "a"}},
        {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "string"}},
        {"type": "object", "properties": {}, "patternProperties": {"a": {}}},
        {"anyOf": [{"type": "string"}, {}]},
        {"$ref": "#/properties/f"},
        {"type": "string", "enum": [str(number) for number in range(1001)]},
    ],
)
def test_what_strict_mode_cannot_say_is_not_strict(field: Any) -> None:
    assert strict_schema({"type": "object", "properties": {"f": field}}) is None


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [{"required": ["a"]}]},
        {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": True},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]},
        {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object", "properties": {}}}},
        {"type": "string"},
    ],
)
def test_roots_that_cannot_be_strict(schema: Any) -> None:
    assert strict_schema(schema) is None


def test_too_many_levels_are_not_strict() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(11):
        schema = {"type": "object", "properties": {"a": schema}}
    assert strict_schema(schema) is None
    assert strict_schema(schema["properties"]["a"]) is not None


def test_a_schema_without_parameters_is_strict() -> None:
    assert strict_schema({"type": "object"}) == {
        "type": "object",
        "properties": {},
        "required": [],
        "additionalProperties": False,
    }


def test_nulls_that_mean_absence_are_dropped() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "integer"},
            "b": {"type": ["integer", "null"]},
            "c": {"type": "array", "items": {"type": "object", "properties": {"d": {"type": "string"}}}},
            "e": {"anyOf": [{"type": "integer"}, {"type": "object", "properties": {"f": {"type": "string"}}}]},
            "g": {"type": "string"},
        },
        "required": ["g"],
    }
    arguments = {"a": None, "b": None, "c": [{"d": None}, {"d": "x"}], "e": {"f": None}, "g": None, "h": None}
    expected: dict[str, Any] = {"b": None, "c": [{}, {"d": "x"}], "e": {}, "g": None, "h": None}
    assert drop_nulls(arguments, schema) == expected
    assert drop_nulls(arguments, shape_of(schema)) == expected
    assert arguments["a"] is None


def filled(value: Any, schema: Any, root: Any) -> Any:
    """The value as strict mode sends it: null for every property that is absent."""
    if "$ref" in schema:
        return filled(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "anyOf" in schema:
        fitting = next(option for option in schema["anyOf"] if shape_of(option, root).fits(value))
        return filled(value, fitting, root)
    if isinstance(value, list):
        return [filled(item, schema["items"], root) for item in value]
    if isinstance(value, dict):
        return {
            name: filled(value[name], below, root) if name in value else None
            for name, below in schema["properties"].items()
        }
    return value


def without_legal_nulls(value: Any, schema: Any, root: Any) -> Any:
    """The value without null where an optional property may be null: there absent and null look alike."""
    if "$ref" in schema:
        return without_legal_nulls(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "anyOf" in schema:
        fitting = next(option for option in schema["anyOf"] if shape_of(option, root).fits(value))
        return without_legal_nulls(value, fitting, root)
    if isinstance(value, list):
        return [without_legal_nulls(item, schema["items"], root) for item in value]
    if isinstance(value, dict):
        return {
            name: without_legal_nulls(item, schema["properties"][name], root)
            for name, item in value.items()
            if item is not None or name in schema["required"]
        }
    return value


@given(schemas_with_arguments())
def test_strict_arguments_come_back_as_they_were(pair: tuple[Any, Any]) -> None:
    schema, arguments = pair
    narrowed = strict_schema(schema)
    assert narrowed is not None
    Draft202012Validator.check_schema(narrowed)
    sent = filled(arguments, schema, schema)
    assert Draft202012Validator(narrowed).is_valid(sent)
    returned = drop_nulls(sent, schema)
    assert Draft202012Validator(schema).is_valid(returned)
    assert without_legal_nulls(returned, schema, schema) == without_legal_nulls(arguments, schema, schema)


@given(st.dictionaries(st.sampled_from(["properties", "required", "$defs", "anyOf"]), odd_schemas()), json_objects())
def test_any_valid_schema_is_narrowed_or_refused_without_an_error(odd: Any, value: Any) -> None:
    schema = {"type": "object", **odd}
    if Draft202012Validator(Draft202012Validator.META_SCHEMA).is_valid(schema):
        narrowed = strict_schema(schema)
        assert narrowed is None or narrowed["additionalProperties"] is False
    drop_nulls(value, schema)


def test_a_signature_has_a_row_for_each_argument() -> None:
    assert signature(weather) == Signature(
        "weather",
        "Weather of a city.",
        (
            ArgumentRow("city", "string", description="Name of the city, as people there write it."),
            ArgumentRow("unit", '"metric" | "imperial"', False, '"metric"', "A system of units."),
            ArgumentRow("days", "integer", False, "3", "How far ahead.", "from 1 to 7"),
            ArgumentRow("tags", "list[string]", False),
            ArgumentRow("items", "list[{text: string, done?: boolean}]", False, "[]"),
            ArgumentRow("since", "string", False, limits="date"),
        ),
    )
    assert signature(now) == Signature("now", "")


@pytest.mark.parametrize(
    ("schema", "limits"),
    [
        ({"minimum": 0}, "at least 0"),
        ({"exclusiveMaximum": 10}, "less than 10"),
        ({"exclusiveMinimum": 0, "exclusiveMaximum": 1}, "from 0 to 1 (both excluded)"),
        ({"minLength": 2, "maxLength": 80}, "from 2 to 80 characters"),
        ({"maxItems": 5}, "at most 5 items"),
        ({"minItems": 0}, ""),
        ({"multipleOf": 5, "maximum": 60}, "at most 60, a multiple of 5"),
        ({"format": "email"}, "email"),
        ({"pattern": "^[A-Z]{3}$"}, "pattern ^[A-Z]{3}$"),
        ({"anyOf": [{"minimum": 3}, {"type": "null"}]}, "at least 3"),
    ],
)
def test_limits_are_said_in_words(schema: Any, limits: str) -> None:
    (row,) = signature(made_from({"properties": {"f": schema}})).arguments
    assert row.limits == limits


def test_a_required_nullable_argument_is_shown_as_nullable() -> None:
    schema = {"properties": {"f": {"type": ["string", "null"]}, "g": {"enum": ["a", None]}}, "required": ["f"]}
    assert [row.type for row in signature(made_from(schema)).arguments] == ["string | null", '"a"']


@pytest.mark.parametrize(
    ("names", "sent"),
    [
        (["get_weather", "a-b"], ["get_weather", "a-b"]),
        (["a.b", "files/read all"], ["a_b", "files_read_all"]),
        (["a.b", "a_b"], ["a_b_2e7336dc", "a_b"]),
        (["café"], ["cafe"]),
        (["天气"], ["tool"]),
        (["天气", "时间"], ["tool_4d947325", "tool_8b6ff498"]),
        (["x" * 65], ["x" * 55 + "_9537c5fd"]),
        (["a.b", "a_b", "a_b_2e7336dc"], ["a_b_2e7336dc8eba87ef", "a_b", "a_b_2e7336dc"]),
        ([], []),
    ],
)
def test_names_are_made_ready_for_the_wire(names: list[str], sent: list[str]) -> None:
    found = wire_names(names)
    assert list(found) == names
    assert list(found.values()) == sent


@given(
    st.lists(
        st.text(min_size=1, max_size=70) | st.sampled_from(["a.b", "a_b", "a b", "天气", "时间", "x" * 80]), max_size=8
    )
)
def test_wire_names_are_valid_unique_and_do_not_depend_on_order(names: list[str]) -> None:
    found = wire_names(names)
    assert set(found) == set(names)
    assert len(set(found.values())) == len(found)
    assert all(len(sent) <= 64 and sent.replace("-", "_").isascii() for sent in found.values())
    assert all(sent.replace("-", "a").replace("_", "a").isalnum() for sent in found.values())
    assert wire_names(reversed(names)) == dict(reversed(found.items()))
