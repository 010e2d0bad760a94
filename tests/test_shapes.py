"""Shapes: what schemas make plain, and nothing more."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from react_engine.shapes import Coerced, Mismatch, Repair, Shape, coerce, problems, shape_of, type_text
from tests.strategies import json_values, odd_schemas, schemas_with_arguments, tool_schemas

STRING, INTEGER, NUMBER, BOOLEAN = ({"type": name} for name in ("string", "integer", "number", "boolean"))
UNITS = {"type": "string", "enum": ["metric", "imperial", "light mode"]}
CAT_OR_DOG = {
    "anyOf": [
        {"type": "object", "properties": {"kind": {"const": "cat"}, "lives": INTEGER}, "required": ["kind"]},
        {"type": "object", "properties": {"kind": {"const": "dog"}, "lives": STRING}, "required": ["kind"]},
    ]
}
TREE = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "anyOf": [
                {"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}, "t": {"const": 1}}, "required": ["a"]},
                {"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}, "t": {"const": 2}}, "required": ["a"]},
                {"type": "integer"},
            ]
        }
    },
}


def array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def record(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


@pytest.mark.parametrize(
    ("written", "schema", "meant", "repairs"),
    [
        ("3", INTEGER, 3, ["number-in-string"]),
        (" 3 ", INTEGER, 3, ["number-in-string"]),
        ("007", INTEGER, 7, ["number-in-string"]),
        ("9007199254740993", INTEGER, 9007199254740993, ["number-in-string"]),
        ("9007199254740993", NUMBER, 9007199254740993, ["number-in-string"]),
        ("1e23", INTEGER, 10**23, ["number-in-string"]),
        ("3.0", INTEGER, 3, ["number-in-string"]),
        (3.0, INTEGER, 3, ["integral-float"]),
        ("2.5", NUMBER, 2.5, ["number-in-string"]),
        ("-.5", NUMBER, -0.5, ["number-in-string"]),
        ('"3"', INTEGER, 3, ["json-in-string", "number-in-string"]),
        ("True", BOOLEAN, True, ["boolean-in-string"]),
        ("FALSE", BOOLEAN, False, ["boolean-in-string"]),
        (1, BOOLEAN, True, ["boolean-from-number"]),
        (0.0, BOOLEAN, False, ["boolean-from-number"]),
        (12, STRING, "12", ["string-from-number"]),
        (10**40, STRING, str(10**40), ["string-from-number"]),
        (True, STRING, "true", ["string-from-number"]),
        ("None", {"type": ["integer", "null"]}, None, ["null-in-string"]),
        ("4", {"type": ["integer", "null"]}, 4, ["number-in-string"]),
        ("5", {"anyOf": [INTEGER, {"type": "null"}]}, 5, ["number-in-string"]),
        ('["a", "b"]', array(STRING), ["a", "b"], ["json-in-string"]),
        ("['a', 'b']", array(STRING), ["a", "b"], ["literal-in-string"]),
        ("('a', 'b')", array(STRING), ["a", "b"], ["literal-in-string", "tuple-to-list"]),
        ('{"a": 1}', record(a=INTEGER), {"a": 1}, ["json-in-string"]),
        ("{'a': True, 'b': None}", {"type": "object"}, {"a": True, "b": None}, ["literal-in-string"]),
        (['{"a": "1"}'], array(record(a=INTEGER)), [{"a": 1}], ["json-in-string", "number-in-string"]),
        ("a", array(STRING), ["a"], ["wrapped-item"]),
        ({"a": 1}, array(record(a=INTEGER)), [{"a": 1}], ["wrapped-item"]),
        ("3", array(INTEGER), [3], ["wrapped-item", "number-in-string"]),
        (3, {"type": "array"}, [3], ["wrapped-item"]),
        ([1, 2], array(array(INTEGER)), [[1, 2]], ["wrapped-item"]),
        (5, array(array(INTEGER)), [[5]], ["wrapped-item", "wrapped-item"]),
        ([7], INTEGER, 7, ["unwrapped-item"]),
        ([{"a": 1}], record(a=INTEGER), {"a": 1}, ["unwrapped-item"]),
        ("Metric", UNITS, "metric", ["enum-spelling"]),
        (" 'imperial' ", UNITS, "imperial", ["enum-spelling"]),
        ("light-mode", UNITS, "light mode", ["enum-spelling"]),
        ("2", {"enum": [1, 2]}, 2, ["number-in-string"]),
        (1, {"enum": ["1", "2"]}, "1", ["string-from-number"]),
        (["metric"], UNITS, "metric", ["unwrapped-item"]),
        (("a", "b"), array(STRING), ["a", "b"], ["tuple-to-list"]),
        ({"a": None}, record(a=INTEGER), {}, ["null-dropped"]),
        ({"a": "null"}, record(a=INTEGER), {}, ["null-dropped"]),
        ({"a": "none"}, record(a=UNITS), {}, ["null-dropped"]),
        ({"x": "3"}, {"type": "object", "additionalProperties": INTEGER}, {"x": 3}, ["number-in-string"]),
        ({"kind": "cat", "lives": "9"}, CAT_OR_DOG, {"kind": "cat", "lives": 9}, ["number-in-string"]),
        ({"kind": "dog", "lives": 9}, CAT_OR_DOG, {"kind": "dog", "lives": "9"}, ["string-from-number"]),
    ],
)
def test_what_the_schema_makes_plain_is_mended(written: Any, schema: Any, meant: Any, repairs: list[str]) -> None:
    coerced = coerce(written, shape_of(schema))
    assert (coerced.value, [repair.name for repair in coerced.repairs], coerced.fits) == (meant, repairs, True)
    assert type(coerced.value) is type(meant)
    assert not any(repair.lossy for repair in coerced.repairs)


@pytest.mark.parametrize(
    ("written", "schema"),
    [
        ("yes", BOOLEAN),
        ("1", BOOLEAN),
        (2, BOOLEAN),
        (True, INTEGER),
        ("2.5", INTEGER),
        ("9007199254740992.5", INTEGER),
        (2.5, INTEGER),
        ("1e999", NUMBER),
        ("NaN", NUMBER),
        (float("nan"), NUMBER),
        (float("inf"), {"type": ["number", "string"]}),
        ("3 km", NUMBER),
        ("1,234", NUMBER),
        ("1_000", INTEGER),
        ("", INTEGER),
        (None, STRING),
        ({"a": 1}, STRING),
        (["a", "b"], STRING),
        ("a, b", array(INTEGER)),
        ('["a"', array(STRING)),
        ("['a' 'b']", array(STRING)),
        ("", array(STRING)),
        ("null", array(STRING)),
        (None, array(STRING)),
        ("{1: 2}", {"type": "object"}),
        ("{1, 2}", array(INTEGER)),
        ("[" * 5000, array(INTEGER)),
        ("[" * 5000 + "]" * 5000, array(INTEGER)),
        ("__import__('os')", {"type": "object"}),
        ("kelvin", UNITS),
        ("ab", {"enum": ["aB", "Ab"]}),
        ("-1", {"type": "string", "enum": ["1", "2"]}),
        (20240101, {"type": "string", "format": "date"}),
        ({"kind": "cow"}, CAT_OR_DOG),
        (1, {"type": ["string", "boolean"]}),
        (3, False),
    ],
)
def test_nothing_is_invented(written: Any, schema: Any) -> None:
    coerced = coerce(written, shape_of(schema))
    assert coerced.value is written
    assert coerced.repairs == ()
    assert not coerced.fits


@pytest.mark.parametrize("text", ["00123", "null", "true", '{"a":1}', "[1]", "4", "", "None"])
@pytest.mark.parametrize(
    "schema",
    [
        STRING,
        {"type": ["string", "null"]},
        {"type": ["integer", "string"]},
        {"anyOf": [{"type": "object"}, STRING]},
        {"anyOf": [array(STRING), STRING, {"type": "null"}]},
        {},
        True,
        {"properties": {"a": INTEGER}},
    ],
)
def test_text_stays_as_it_is_where_text_is_allowed(text: str, schema: Any) -> None:
    coerced = coerce(text, shape_of(schema))
    assert coerced.value is text
    assert coerced == Coerced(text)


def test_null_stays_where_it_is_allowed_or_required() -> None:
    shape = shape_of(record(("b",), a={"type": ["integer", "null"]}, b=INTEGER, c={}))
    assert coerce({"a": None, "b": None, "c": None}, shape) == Coerced({"a": None, "b": None, "c": None}, (), False)


def test_unknown_properties_and_missing_ones_are_left_alone() -> None:
    shape = shape_of({**record(("city",), city=STRING, days=INTEGER), "additionalProperties": False})
    assert coerce({"days": "3", "towm": "Graz"}, shape) == Coerced(
        {"days": 3, "towm": "Graz"}, (Repair("number-in-string", ("days",)),), False
    )


def test_the_input_is_never_changed() -> None:
    written = {"a": ["1", {"b": "2", "c": None}], "x": None}
    shape = shape_of(record(a=array({"anyOf": [INTEGER, record(b=INTEGER, c=INTEGER)]}), x=INTEGER))
    assert coerce(written, shape).value == {"a": [1, {"b": 2}]}
    assert written == {"a": ["1", {"b": "2", "c": None}], "x": None}


def test_repairs_name_their_place() -> None:
    shape = shape_of(record(rows=array(record(n=INTEGER, tags=array(STRING)))))
    coerced = coerce({"rows": [{"n": 1}, {"n": "2", "tags": "x"}]}, shape)
    assert coerced.repairs == (
        Repair("number-in-string", ("rows", 1, "n")),
        Repair("wrapped-item", ("rows", 1, "tags")),
    )


def test_readings_that_lose_something_say_so() -> None:
    assert coerce(3.10, shape_of(STRING)) == Coerced("3.1", (Repair("string-from-number", lossy=True),))
    assert coerce({"b", "a"}, shape_of(array(STRING))) == Coerced(["a", "b"], (Repair("set-to-list", lossy=True),))


def test_an_object_written_as_text_is_mended_as_far_as_it_goes() -> None:
    shape = shape_of(record(("a", "b"), a=INTEGER, b=STRING))
    coerced = coerce('{"a": "1"}', shape)
    assert (coerced.value, coerced.fits) == ({"a": 1}, False)
    assert problems(coerced.value, shape) == (Mismatch(("b",), "string", "nothing", "missing"),)


def test_of_several_options_the_one_that_fits_untouched_wins() -> None:
    shape = shape_of({"anyOf": [record(("n",), n=INTEGER), record(("n",), n=STRING)]})
    value = {"n": "3"}
    assert coerce(value, shape).value is value


def test_equally_plain_options_leave_the_value_alone() -> None:
    shape = shape_of({"oneOf": [record(n=INTEGER, m=STRING), record(n=STRING, m=INTEGER)]})
    value = {"n": "3", "m": "4"}
    assert coerce(value, shape) == Coerced({"n": "3", "m": "4"}, (), False)
    assert coerce({"n": "3", "m": 4}, shape) == Coerced({"n": "3", "m": 4})


@pytest.mark.parametrize(
    ("schema", "value", "fits"),
    [
        (INTEGER, True, False),
        (INTEGER, 1.0, True),
        (NUMBER, 1, True),
        (BOOLEAN, 1, False),
        ({"enum": [1]}, True, False),
        ({"const": {"a": [1]}}, {"a": [1.0]}, True),
        ({"type": "string", "nullable": True}, None, True),
        ({"enum": ["a"], "nullable": True}, None, True),
        ({"allOf": [STRING, INTEGER]}, "a", False),
        ({"allOf": [record(("a",), a=INTEGER), record(("b",), b=STRING)]}, {"a": 1, "b": "x"}, True),
        ({"allOf": [record(("a",), a=INTEGER), record(("b",), b=STRING)]}, {"a": 1}, False),
        ({"prefixItems": [INTEGER, STRING], "items": False}, [1, "a"], True),
        ({"prefixItems": [INTEGER, STRING], "items": False}, [1, "a", 2], False),
        ({"items": [INTEGER], "additionalItems": STRING}, [1, "a"], True),
        ({"$ref": "https://example.org/schema"}, object(), True),
        ({"$ref": "#/nowhere"}, 3, True),
        ({"$ref": "#"}, 3, True),
        ({"type": "object", "patternProperties": {"^x": INTEGER}, "additionalProperties": False}, {"x1": 1}, True),
        ({"type": "any"}, 3, True),
        ({"anyOf": [record(("a",)), record(("b",))], "type": "object"}, {"c": 1}, False),
        ({"anyOf": [{"required": ["a"]}], "oneOf": [{"required": ["b"]}]}, {"a": 1}, False),
        ({"anyOf": [{"required": ["a"]}], "oneOf": [{"required": ["b"]}]}, {"a": 1, "b": 1}, True),
    ],
)
def test_fits_is_what_json_schema_says(schema: Any, value: Any, fits: bool) -> None:
    assert shape_of(schema).fits(value) is fits


def test_unions_that_differ_by_type_are_merged() -> None:
    shape = shape_of({"anyOf": [record(("a",), a=INTEGER), array(STRING), {"type": "null"}]})
    assert shape.types == {"object", "array", "null"}
    assert shape.options == ()
    assert shape.required == {"a"}
    assert shape_of({"anyOf": [{"const": "a"}, {"const": "b"}]}).enum == ("a", "b")
    assert shape_of({"anyOf": [UNITS, {"type": "null"}]}).enum == ("metric", "imperial", "light mode", None)


def test_references_may_have_their_own_root() -> None:
    root = {"$defs": {"a/b": INTEGER}}
    assert shape_of({"$ref": "#/$defs/a~1b"}, root).types == {"integer"}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (INTEGER, "integer"),
        (UNITS, '"metric" | "imperial" | "light mode"'),
        (array(STRING), "list[string]"),
        (array(array(NUMBER)), "list[list[number]]"),
        (record(("text",), text=STRING, done=BOOLEAN), "{text: string, done?: boolean}"),
        (array(record(("n",), n=INTEGER)), "list[{n: integer}]"),
        ({"type": "object", "additionalProperties": INTEGER}, "map[string, integer]"),
        ({"type": "object"}, "object"),
        ({"type": ["null", "string"]}, "string | null"),
        ({"prefixItems": [INTEGER, STRING], "type": "array"}, "[integer, string]"),
        (CAT_OR_DOG, '{kind: "cat", lives?: integer} | {kind: "dog", lives?: string}'),
        ({}, "any"),
        (False, "nothing"),
    ],
)
def test_types_have_a_short_text(schema: Any, text: str) -> None:
    assert type_text(shape_of(schema)) == text


def test_the_text_of_a_recursive_type_ends() -> None:
    assert type_text(shape_of(TREE)) == "{a: object | integer, t?: 1} | {a: object | integer, t?: 2} | integer"


@pytest.mark.parametrize(
    ("value", "schema", "found"),
    [
        ({}, record(("city",), city=STRING), Mismatch(("city",), "string", "nothing", "missing")),
        ({"n": "x"}, record(n=INTEGER), Mismatch(("n",), "integer", '"x"')),
        (
            {"u": "kelvin"},
            record(u=UNITS),
            Mismatch(
                ("u",), '"metric" | "imperial" | "light mode"', '"kelvin"', "enum", ("metric", "imperial", "light mode")
            ),
        ),
        (
            {"a": 1, "towm": 2},
            {**record(a=INTEGER, town=STRING), "additionalProperties": False},
            Mismatch(("towm",), "no such field", "2", "unknown", ("town",)),
        ),
        ([1, "x"], array(INTEGER), Mismatch((1,), "integer", '"x"')),
        ({"kind": "cat", "lives": "x"}, CAT_OR_DOG, Mismatch(("lives",), "integer", '"x"')),
        (
            {"kind": "cow"},
            CAT_OR_DOG,
            Mismatch(("kind",), '"cat" | "dog"', '"cow"', "enum", ("cat", "dog")),
        ),
        (
            {"lives": 9},
            CAT_OR_DOG,
            Mismatch((), '{kind: "cat", lives?: integer} | {kind: "dog", lives?: string}', '{"lives": 9}'),
        ),
        (
            {"d": "1700000000"},
            record(d={**STRING, "format": "date"}),
            Mismatch(("d",), "string (date)", '"1700000000"'),
        ),
        (float("nan"), {}, None),
        (float("nan"), NUMBER, Mismatch((), "number", "NaN")),
    ],
)
def test_problems_name_place_expectation_and_find(value: Any, schema: Any, found: Mismatch | None) -> None:
    assert problems(value, shape_of(schema)) == (() if found is None else (found,))


@given(schemas_with_arguments())
def test_arguments_that_fit_come_back_as_the_same_object(pair: tuple[Any, Any]) -> None:
    schema, arguments = pair
    coerced = coerce(arguments, shape_of(schema))
    assert coerced == Coerced(arguments)
    assert coerced.value is arguments
    assert problems(arguments, shape_of(schema)) == ()


@given(tool_schemas(), st.data())
def test_coercion_is_idempotent_and_reports_what_fits(schema: Any, data: st.DataObject) -> None:
    shape = shape_of(schema)
    first = coerce(data.draw(_damaged(schema)), shape)
    again = coerce(first.value, shape)
    assert (again.value, again.repairs, again.fits) == (first.value, (), first.fits)
    assert shape.fits(first.value) == first.fits
    assert bool(problems(first.value, shape)) != first.fits


@st.composite
def _damaged(draw: st.DrawFn, schema: Any) -> Any:
    """Arguments with values of other types here and there."""
    values = {name: draw(json_values(6)) for name in schema["properties"] if draw(st.booleans())}
    return values if draw(st.booleans()) else draw(json_values(6))


@given(tool_schemas(), json_values())
def test_a_shape_agrees_with_the_json_schema_validator(schema: Any, value: Any) -> None:
    assert shape_of(schema).fits(value) == Draft202012Validator(schema).is_valid(value)


@given(odd_schemas(), json_values())
def test_no_schema_and_no_value_raises(schema: Any, value: Any) -> None:
    shape = shape_of(schema)
    coerced = coerce(value, shape)
    assert isinstance(coerced, Coerced)
    problems(coerced.value, shape)
    type_text(shape)
    assert isinstance(shape.allows("string"), bool)


def nested(leaf: Any, levels: int, wrap: Any) -> Any:
    for _ in range(levels):
        leaf = wrap(leaf)
    return leaf


def test_deep_values_and_schemas_are_no_trouble() -> None:
    deep_list = nested([], 10_000, lambda below: [below])
    assert not coerce(deep_list, shape_of({"type": "array", "items": {"$ref": "#"}})).fits
    assert coerce(deep_list, shape_of({"type": "array"})) == Coerced(deep_list)
    deep_schema = nested(INTEGER, 10_000, lambda below: {"type": "object", "properties": {"a": below}})
    assert coerce({"a": {}}, shape_of(deep_schema)).fits
    circle: dict[str, Any] = {"type": "object"}
    circle["properties"] = {"a": circle}
    assert shape_of(circle).fits({"a": {"a": {}}})
    looped: list[Any] = []
    looped.append(looped)
    assert not coerce(looped, shape_of({"type": "array", "items": {"$ref": "#"}})).fits


class Counting(dict[str, Any]):
    """Counts how often its entries are looked at."""

    looks = itertools.count()

    def items(self) -> Any:
        next(Counting.looks)
        return super().items()


def test_nested_unions_are_not_tried_again_and_again() -> None:
    shape = shape_of(TREE)
    assert isinstance(shape, Shape)
    Counting.looks = itertools.count()
    coerced = coerce(nested("x", 30, lambda below: Counting(a=below)), shape)
    assert not coerced.fits
    assert next(Counting.looks) < 30 * 20
