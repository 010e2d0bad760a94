"""Tools from functions, models and schemas."""

from __future__ import annotations

import asyncio
import functools
import subprocess
import sys
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal, NotRequired, Optional, Unpack

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel
from typing_extensions import TypedDict

from react_engine.errors import ConfigurationError, InvalidArguments
from react_engine.tools.function import FunctionTool, tool, tool_from_model, tool_from_schema
from react_engine.tools.options import ToolOptions
from react_engine.tools.tool import Tool, ToolParameter
from react_engine.tools.validation import validate


class Unit(Enum):
    METRIC = "metric"
    IMPERIAL = "imperial"


@dataclass
class Point:
    x: float
    y: float = 0.0


class Item(BaseModel):
    """One thing."""

    name: str = Field(description="What it is.")
    amount: int = 1


class Node(BaseModel):
    label: str
    children: list[Node] = []


def called(made: Tool, arguments: dict[str, Any]) -> Any:
    """What a tool gives for arguments as a model writes them."""
    return made.run(validate(made, arguments).arguments)


def properties(made: Tool) -> Any:
    return made.schema["properties"]


def test_a_decorated_function_is_a_tool_and_still_the_function() -> None:
    @tool
    def add(a: int, b: int = 2) -> int:
        """Add two numbers."""
        return a + b

    assert isinstance(add, FunctionTool)
    assert (add.name, add.description, add.options) == ("add", "Add two numbers.", ToolOptions())
    assert add.schema == {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 2}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert add(1, b=5) == 6
    assert called(add, {"a": "1"}) == 3
    assert add.__doc__ == "Add two numbers."


def test_name_description_and_options_can_be_given() -> None:
    @tool(name="sum.up", description="Sums.", side_effects=True, tags=["math"], timeout=5)
    def add(a: int) -> int:
        """Not this."""
        return a

    assert (add.name, add.description) == ("sum.up", "Sums.")
    assert add.options == ToolOptions(side_effects=True, tags=frozenset({"math"}), timeout=5)


def test_the_function_gets_values_of_the_declared_types() -> None:
    @tool
    def plan(
        day: date,
        items: list[Item],
        at: Point,
        unit: Unit = Unit.METRIC,
        mode: Literal["fast", "slow"] = "fast",
        pair: tuple[int, str] | None = None,
    ) -> Any:
        return day, items, at, unit, mode, pair

    arguments = {
        "day": "2024-05-01",
        "items": [{"name": "egg", "amount": "2"}],
        "at": {"x": 1},
        "unit": "Imperial",
        "pair": [1, "a"],
    }
    assert called(plan, arguments) == (
        date(2024, 5, 1),
        [Item(name="egg", amount=2)],
        Point(1.0),
        Unit.IMPERIAL,
        "fast",
        (1, "a"),
    )


def test_nested_types_survive_in_the_schema() -> None:
    @tool
    def store(item: Item, unit: Unit = Unit.METRIC, near: Optional[Point] = None) -> None:  # noqa: UP045
        pass

    assert store.schema == {
        "type": "object",
        "properties": {
            "item": {"$ref": "#/$defs/Item"},
            "unit": {"$ref": "#/$defs/Unit", "default": "metric"},
            "near": {"anyOf": [{"$ref": "#/$defs/Point"}, {"type": "null"}]},
        },
        "required": ["item"],
        "additionalProperties": False,
        "$defs": {
            "Item": {
                "type": "object",
                "description": "One thing.",
                "properties": {
                    "name": {"type": "string", "description": "What it is."},
                    "amount": {"type": "integer", "default": 1},
                },
                "required": ["name"],
                "additionalProperties": False,
            },
            "Point": {
                "type": "object",
                "properties": {"x": {"type": "number"}, "y": {"type": "number", "default": 0.0}},
                "required": ["x"],
                "additionalProperties": False,
            },
            "Unit": {"type": "string", "enum": ["metric", "imperial"]},
        },
    }


GOOGLE = """Find a train.

Knows all of Europe.

Args:
    start (str): Where it leaves,
        with the country.
    end: Where it arrives.

Returns:
    The train.
"""
NUMPY = """Find a train.

Knows all of Europe.

Parameters
----------
start : str
    Where it leaves,
    with the country.
end : str
    Where it arrives.

Returns
-------
str
    The train.
"""
REST = """Find a train.

Knows all of Europe.

:param start: Where it leaves,
    with the country.
:param str end: Where it arrives.
:returns: The train.
"""


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, REST], ids=["google", "numpy", "rest"])
def test_docstrings_describe_tool_and_arguments(docstring: str) -> None:
    def train(start: str, end: str) -> str:
        return start + end

    train.__doc__ = docstring
    made = tool(train)
    assert made.description == "Find a train.\n\nKnows all of Europe."
    assert properties(made) == {
        "start": {"type": "string", "description": "Where it leaves, with the country."},
        "end": {"type": "string", "description": "Where it arrives."},
    }


@pytest.mark.parametrize(
    ("docstring", "description", "about_a"),
    [
        ("One\ntwo.\n\nArgs:\n    a: First.\n\n        Second.\n", "One\ntwo.", "First. Second."),
        ("One.\n\nNote:\n    Careful.\n\nArgs:\n    a: First.\n", "One.\n\nNote:\n    Careful.", "First."),
        ("One.\n\nArgs:\nbroken\n", "One.\n\nArgs:\nbroken", None),
        (":param", ":param", None),
        ("求和。\n\n第二段。", "求和。\n\n第二段。", None),
        ("", "", None),
        (None, "", None),
    ],
)
def test_docstrings_of_any_form_are_read(docstring: str | None, description: str, about_a: str | None) -> None:
    def look(a: int) -> None:
        pass

    look.__doc__ = docstring
    made = tool(look)
    assert made.description == description
    assert properties(made)["a"].get("description") == about_a


def test_arguments_described_together_are_all_described() -> None:
    def move(x: float, y: float) -> None:
        """Move.

        Parameters
        ----------
        x, y : float
            Where to.
        """

    assert [below["description"] for below in properties(tool(move)).values()] == ["Where to.", "Where to."]


def test_a_field_describes_better_than_the_docstring() -> None:
    @tool
    def look(a: Annotated[int, Field(description="From the field.", ge=1)], b: int = Field(2, le=9)) -> Any:
        """Look.

        Args:
            a: From the docstring.
            b: Also from there.
        """
        return a, b

    assert properties(look) == {
        "a": {"type": "integer", "description": "From the field.", "minimum": 1},
        "b": {"type": "integer", "description": "Also from there.", "maximum": 9, "default": 2},
    }
    assert called(look, {"a": 1}) == (1, 2)


def test_names_that_pydantic_keeps_for_itself_work() -> None:
    @tool
    def odd(schema: str, json: int, copy: bool, model_config: str, _hidden: int, model_x: int, dict: int = 3) -> Any:  # noqa: A002
        return schema, json, copy, model_config, _hidden, model_x, dict

    arguments = {"schema": "s", "json": 1, "copy": True, "model_config": "m", "_hidden": 2, "model_x": 4}
    assert list(properties(odd)) == [*arguments, "dict"]
    assert called(odd, arguments) == ("s", 1, True, "m", 2, 4, 3)
    with pytest.raises(InvalidArguments, match="argument_0 is unknown"):
        validate(odd, {**arguments, "argument_0": "x"})


def test_an_alias_is_the_name_that_models_see() -> None:
    @tool
    def find(from_: Annotated[str, Field(alias="from")]) -> str:
        return from_

    assert called(find, {"from": "Graz"}) == "Graz"


def test_positional_only_parameters_are_passed_by_position() -> None:
    @tool
    def power(base: int, exponent: int = 2, modulus: int | None = None, /, *, label: str = "") -> Any:
        return base, exponent, modulus, label

    assert called(power, {"base": 3}) == (3, 2, None, "")
    assert called(power, {"base": 3, "modulus": 5, "label": "x"}) == (3, 2, 5, "x")


def test_keywords_of_any_name_become_additional_properties() -> None:
    @tool
    def tag(name: str, **tags: int) -> Any:
        return name, tags

    assert tag.schema["additionalProperties"] == {"type": "integer"}
    assert called(tag, {"name": "a", "x": "1"}) == ("a", {"x": 1})

    @tool
    def free(**anything: Any) -> Any:
        return anything

    assert called(free, {"x": {"y": 1}}) == {"x": {"y": 1}}


def test_a_function_without_parameters_takes_an_empty_object() -> None:
    @tool
    def now() -> str:
        return "now"

    assert now.schema == {"type": "object", "properties": {}, "additionalProperties": False}
    assert called(now, {}) == "now"


def test_defaults_of_the_function_are_its_own() -> None:
    marker = object()

    @tool
    def keep(
        *,
        value: Any = marker,
        numbers: list[int] = [],  # noqa: B006
        later: Annotated[list[int], Field(default_factory=list)],
    ) -> Any:
        return value is marker, numbers, later

    assert called(keep, {}) == (True, [], [])


def test_types_are_guessed_from_defaults() -> None:
    @tool
    def guess(a=3, b=True, c="x", d=None, e=1.5) -> None:  # type: ignore[no-untyped-def]
        pass

    assert [below.get("type") for below in properties(guess).values()] == [
        "integer", "boolean", "string", None, "number",
    ]  # fmt: skip


def test_classes_local_to_a_function_are_found() -> None:
    class Local(BaseModel):
        n: int

    @tool
    def use(local: Local) -> int:
        return local.n

    assert called(use, {"local": {"n": 3}}) == 3


class Greeter:
    """Greets."""

    def __init__(self, word: str) -> None:
        self.word = word

    def greet(self, name: str) -> str:
        """Greet somebody."""
        return f"{self.word}, {name}"

    def __call__(self, name: str) -> str:
        """Greet when called."""
        return self.greet(name)


class Later:
    """Called later."""

    async def __call__(self, name: str) -> str:
        return name


def test_bound_methods_objects_and_partials_become_tools() -> None:
    greeter = Greeter("Hello")
    method, whole = tool(greeter.greet), tool(greeter)
    bound = tool(functools.partial(greeter.greet, name="Ada"), name="greet_ada")
    assert (method.name, method.description, called(method, {"name": "Bo"})) == (
        "greet",
        "Greet somebody.",
        "Hello, Bo",
    )
    assert (whole.name, whole.description, called(whole, {"name": "Bo"})) == (
        "Greeter",
        "Greet when called.",
        "Hello, Bo",
    )
    assert (bound.description, called(bound, {})) == ("Greet somebody.", "Hello, Ada")
    assert called(bound, {"name": "Cy"}) == "Hello, Cy"


def test_async_callables_give_async_tools() -> None:
    @tool
    async def slow(name: str) -> str:
        return name

    for made in (slow, tool(Later()), tool(functools.partial(slow.func, name="x"), name="p")):
        assert made.is_async
        assert asyncio.run(called(made, {"name": "a"})) == "a"
    assert not tool(Greeter("Hi")).is_async


def test_plain_arguments_are_validated_when_a_tool_is_run_directly() -> None:
    @tool
    def when(day: date) -> date:
        return day

    assert when.run({"day": "2024-05-01"}) == date(2024, 5, 1)
    assert when.run({"day": date(2024, 5, 1)}) == date(2024, 5, 1)


def unresolved(a: Nowhere) -> None:  # type: ignore[name-defined]  # noqa: F821
    pass


def starred(*names: str) -> None:
    pass


class Extras(TypedDict):
    a: int


def unpacked(**extras: Unpack[Extras]) -> None:
    pass


def opaque(stream: subprocess.Popen) -> None:  # type: ignore[type-arg]
    pass


@pytest.mark.parametrize(
    ("func", "message"),
    [
        (starred, r"takes \*names.*Take a list"),
        (Greeter.greet, r"method without its object.*tool\(instance.greet\)"),
        (unresolved, r"cannot be resolved: name 'Nowhere'.*at run time"),
        (unpacked, "unpacks .*Extras.*write these parameters out"),
        (opaque, "cannot be described.*pydantic"),
        (lambda x: x, "lambda has no name"),
        (3, "made from a function"),
        (max, "shows no signature.*tool_from_schema"),
    ],
)
def test_what_no_model_can_call_is_refused(func: Any, message: str) -> None:
    with pytest.raises(ConfigurationError, match=f"(?s){message}"):
        tool(func)


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="Did you mean timeout"):
        tool(timout=3)  # type: ignore[call-overload]


def test_parameters_are_told_in_order() -> None:
    @tool
    def look(where: str, unit: Unit = Unit.METRIC, limit: Annotated[int, Field(ge=1)] = 5) -> None:
        """Look.

        Args:
            where: The place.
        """

    assert look.get_parameters() == [
        ToolParameter("where", "string", "The place."),
        ToolParameter("unit", "any", "", False, "metric", {"$ref": "#/$defs/Unit"}),
        ToolParameter("limit", "integer", "", False, 5, {"minimum": 1}),
    ]


def test_a_model_describes_the_parameters() -> None:
    def buy(item: Item) -> str:
        """Buy something."""
        return f"{item.amount} {item.name}"

    made = tool_from_model(Item, buy, category="shop")
    assert (made.name, made.description, made.options.category) == ("buy", "Buy something.", "shop")
    assert called(made, {"name": "egg", "amount": "2"}) == "2 egg"
    assert made.run({"name": "egg"}) == "1 egg"
    assert tool_from_model(Item, lambda item: item, name="x").description == "One thing."
    with pytest.raises(InvalidArguments, match="nmae is unknown"):
        validate(made, {"name": "egg", "nmae": 1})


def test_a_model_that_contains_itself_stands_at_the_root() -> None:
    made = tool_from_model(Node, lambda node: node, name="grow")
    assert made.schema["type"] == "object"
    assert list(made.schema["properties"]) == ["label", "children"]
    arguments = {"label": "a", "children": [{"label": "b"}]}
    assert called(made, arguments) == Node(label="a", children=[Node(label="b")])


def test_a_model_that_takes_or_ignores_extra_fields_keeps_that() -> None:
    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        a: int

    class Careless(BaseModel):
        model_config = ConfigDict(extra="ignore")
        a: int

    assert called(tool_from_model(Open, lambda m: m.model_extra, name="open"), {"a": 1, "b": 2}) == {"b": 2}
    assert called(tool_from_model(Careless, lambda m: m.a, name="careless"), {"a": 1, "b": 2}) == 1


def test_typed_dicts_and_root_models_are_described_rightly() -> None:
    class Route(TypedDict):
        start: str
        end: NotRequired[str]

    class Words(RootModel[dict[str, int]]):
        pass

    @tool
    def go(route: Route, words: Words, rest: RootModel[Any]) -> Any:
        return route, words.root, rest.root

    assert called(go, {"route": {"start": "a"}, "words": {"x": "1"}, "rest": {"y": 2}}) == (
        {"start": "a"}, {"x": 1}, {"y": 2},
    )  # fmt: skip
    with pytest.raises(InvalidArguments, match=r"route\.stop is unknown"):
        validate(go, {"route": {"start": "a", "stop": "b"}, "words": {}, "rest": 1})
    with pytest.raises(ConfigurationError, match=r"Numbers .* must describe an object"):
        tool_from_model(Numbers, print, name="x")


class Numbers(RootModel[list[int]]):
    pass


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="must be a pydantic model class"):
        tool_from_model(int, print, name="x")  # type: ignore[arg-type]


WEATHER = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "unit": {"type": "string", "enum": ["c", "f"], "nullable": True}},
    "required": ["city"],
}


def test_a_schema_with_a_function_is_a_tool() -> None:
    made = tool_from_schema("weather", "Weather.", WEATHER, lambda city, unit="c": f"{city} {unit}")
    assert called(made, {"city": "Graz"}) == "Graz c"
    assert called(made, {"city": "Graz", "unit": None}) == "Graz None"
    as_dict = tool_from_schema("weather", "", WEATHER, lambda arguments: arguments, pass_dict=True)
    assert called(as_dict, {"city": "Graz", "other": 1}) == {"city": "Graz", "other": 1}


def test_a_schema_is_copied_and_made_whole() -> None:
    given = {"properties": {"nullable": {"type": "string", "nullable": True}}}
    made = tool_from_schema("x", "", given, lambda **_: None)
    given["properties"].clear()
    assert made.schema == {"type": "object", "properties": {"nullable": {"type": ["string", "null"]}}}


def test_nullable_reaches_lists_of_types_and_enums() -> None:
    fields = {
        "a": {"type": ["string", "integer"], "nullable": True},
        "b": {"enum": ["x"], "nullable": True},
        "c": {"type": ["string", "null"], "nullable": True},
        "d": {"type": "string", "nullable": False},
    }
    assert properties(tool_from_schema("x", "", {"properties": fields}, lambda **_: None)) == {
        "a": {"type": ["string", "integer", "null"]},
        "b": {"enum": ["x", None]},
        "c": {"type": ["string", "null"]},
        "d": {"type": "string"},
    }


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "array"}, "must be of type object"),
        ({"properties": {"a": {"type": "strin"}}}, r"broken at properties/a/type"),
        ({"properties": {"a": {"$ref": "#/$defs/b"}}}, r"refers to '#/\$defs/b', but there is nothing"),
        ({"properties": {"a": {"$ref": "https://example.org/a.json"}}}, "nothing is fetched"),
        ({"properties": {"a": {"pattern": "("}}}, "broken at properties/a/pattern"),
        ([], "must be a JSON Schema object"),
        ({"properties": {"a": {"$ref": "#nowhere"}}}, "refers to '#nowhere', but there is nothing"),
        ({"properties": {"a": {}}, "required": "a"}, "broken at required"),
    ],
)
def test_a_broken_schema_is_refused_when_the_tool_is_made(schema: Any, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        tool_from_schema("x", "", schema, lambda **_: None)


@pytest.mark.parametrize("levels", [100, 1000])
def test_a_schema_of_too_many_levels_is_refused(levels: int) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    with pytest.raises(ConfigurationError, match="nested too deeply"):
        tool_from_schema("x", "", schema, lambda **_: None)


def test_a_function_that_cannot_take_the_arguments_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"does not take the arguments.*pass_dict"):
        tool_from_schema("x", "", WEATHER, lambda city: city)
    with pytest.raises(ConfigurationError, match="does not take the arguments"):
        tool_from_schema("x", "", {"properties": {"a": {}}}, lambda a: a)


def test_importing_the_tools_imports_no_heavy_package() -> None:
    code = (
        "import sys, react_engine.tools, react_engine.tools.registry, react_engine.tools.loading;"
        "print([name for name in ('pydantic', 'jsonschema', 'docstring_parser', 'litellm') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
