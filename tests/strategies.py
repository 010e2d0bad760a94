"""Hypothesis strategies: JSON values, schemas of tools, and arguments that fit them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from react_engine.fuzz.cases import Case, draw_case

Schema = dict[str, Any]

NAMES = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)
"""Names of parameters."""

TEXTS = st.text(max_size=20) | st.sampled_from(["null", "true", "3", "007", '{"a": 1}', "[1]", "None", "", " x "])
"""Texts, among them those that look like something else."""

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
"""JSON scalars."""


def json_values(max_leaves: int = 20) -> st.SearchStrategy[Any]:
    """Any JSON value."""
    return st.recursive(
        SCALARS,
        lambda below: st.lists(below, max_size=4) | st.dictionaries(TEXTS | NAMES, below, max_size=4),
        max_leaves=max_leaves,
    )


def json_objects() -> st.SearchStrategy[dict[str, Any]]:
    """Any JSON object."""
    return st.dictionaries(TEXTS | NAMES, json_values(10), max_size=5)


_SCALAR_SCHEMAS: st.SearchStrategy[Schema] = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "string", "enum": ["metric", "imperial", "Light Mode"]},
        {"type": "integer", "enum": [1, 2, 3]},
        {"type": "string", "description": "What to look for.", "default": "x"},
        {"const": "fixed", "type": "string"},
    ]
)


def _nullable(schema: Schema) -> Schema:
    if "enum" in schema or "const" in schema or not isinstance(schema.get("type"), str):
        return {"anyOf": [schema, {"type": "null"}]}
    return {**schema, "type": [schema["type"], "null"]}


@st.composite
def object_schemas(draw: st.DrawFn, fields: st.SearchStrategy[Schema]) -> Schema:
    """Closed objects with some optional properties."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    return {
        "type": "object",
        "properties": {name: draw(fields) for name in names},
        "required": [name for name in names if draw(st.booleans())],
        "additionalProperties": False,
    }


def field_schemas() -> st.SearchStrategy[Schema]:
    """Schemas of one parameter: scalars, enums, lists, objects, unions by type, nullable ones, references."""
    leaves = _SCALAR_SCHEMAS | st.just({"$ref": "#/$defs/unit"}) | st.just({"$ref": "#/$defs/tree"})
    return st.recursive(
        leaves,
        lambda below: (
            below.map(lambda items: {"type": "array", "items": items})
            | object_schemas(below)
            | below.map(_nullable)
            | object_schemas(below).map(lambda schema: {"anyOf": [{"type": "integer"}, schema]})
        ),
        max_leaves=6,
    )


DEFS: Schema = {
    "unit": {"type": "string", "enum": ["c", "f"]},
    "tree": {
        "type": "object",
        "properties": {
            "label": {"type": "string"},
            "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
        },
        "required": ["label"],
        "additionalProperties": False,
    },
}
"""What the references of ``field_schemas`` point to; one of the two contains itself."""


def tool_schemas() -> st.SearchStrategy[Schema]:
    """Schemas of the arguments of a tool, as careful authors write them."""
    return object_schemas(field_schemas()).map(lambda schema: {**schema, "$defs": DEFS})


@st.composite
def fitting(draw: st.DrawFn, schema: Schema, root: Schema, depth: int = 0) -> Any:
    """A value that fits a schema of ``tool_schemas``."""
    if "$ref" in schema:
        return draw(fitting(root["$defs"][schema["$ref"].rpartition("/")[2]], root, depth + 1))
    if "anyOf" in schema:
        return draw(fitting(draw(st.sampled_from(schema["anyOf"])), root, depth + 1))
    if "enum" in schema or "const" in schema:
        return draw(st.sampled_from(schema.get("enum") or [schema["const"]]))
    declared = schema["type"]
    kind = draw(st.sampled_from(declared)) if isinstance(declared, list) else declared
    if kind == "array":
        length = draw(st.integers(0, 0 if depth > 4 else 3))
        return [draw(fitting(schema["items"], root, depth + 1)) for _ in range(length)]
    if kind == "object":
        return {
            name: draw(fitting(below, root, depth + 1))
            for name, below in schema["properties"].items()
            if name in schema["required"] or draw(st.booleans())
        }
    return draw(
        {
            "string": TEXTS,
            "integer": st.integers(),
            "number": st.integers() | st.floats(allow_nan=False, allow_infinity=False),
            "boolean": st.booleans(),
            "null": st.none(),
        }[kind]
    )


@st.composite
def schemas_with_arguments(draw: st.DrawFn) -> tuple[Schema, dict[str, Any]]:
    """A tool's schema and arguments that fit it."""
    schema = draw(tool_schemas())
    return schema, draw(fitting(schema, schema))


_KEYWORDS = st.sampled_from(
    ["type", "properties", "required", "items", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "$defs", "nullable",
     "additionalProperties", "prefixItems", "format", "patternProperties", "title"]
)  # fmt: skip
_KEYWORD_VALUES = st.sampled_from(
    [
        "string",
        "integer",
        "object",
        "array",
        "#",
        "#/$defs/a",
        "#/nowhere",
        "#/properties/a",
        ["string", "null"],
        True,
        False,
    ]
)


def odd_schemas() -> st.SearchStrategy[Any]:
    """Schemas that nobody should write: keywords with values of any type, references in circles."""
    return st.recursive(
        _KEYWORD_VALUES | SCALARS,
        lambda below: st.lists(below, max_size=3) | st.dictionaries(_KEYWORDS | NAMES, below, max_size=5),
        max_leaves=20,
    )


def fuzz_cases() -> st.SearchStrategy[Case]:
    """Replies with their truth, as the fuzz benchmark makes them; Hypothesis chooses and shrinks."""
    return st.randoms(use_true_random=False).map(lambda rng: draw_case(rng, "drawn"))
