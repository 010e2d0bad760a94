"""The base class of tools, and their options."""

from __future__ import annotations

from typing import Any

import pytest

from react_engine.errors import ConfigurationError
from react_engine.tools.options import RateLimit, ToolOptions, make_options
from react_engine.tools.tool import Tool, ToolParameter


class Weather(Tool):
    """A tool as a subclass with everything in its body."""

    name = "weather"
    description = "Weather of a city."
    options = ToolOptions(category="outdoors")

    def run(self, parameters: dict[str, Any]) -> str:
        return f"sunny in {parameters['city']}"

    def get_parameters(self) -> list[ToolParameter]:
        return [
            ToolParameter("city", description="Name of the city."),
            ToolParameter("days", "integer", required=False, default=3, schema={"minimum": 1}),
            ToolParameter("unit", "any", required=False, schema={"enum": ["c", "f", None]}),
        ]


class Named(Weather):
    """A subclass that passes its name on."""

    name = ""

    def __init__(self, name: Any) -> None:
        super().__init__(name, "Another one.", ToolOptions(secret=True))

    async def run(self, parameters: dict[str, Any]) -> str:  # type: ignore[override]
        return "later"


def test_a_subclass_may_say_everything_in_its_body() -> None:
    tool = Weather()
    assert (tool.name, tool.description, tool.options.category) == ("weather", "Weather of a city.", "outdoors")
    assert repr(tool) == "<Weather weather>"
    assert not tool.is_async


def test_what_is_passed_goes_before_the_body() -> None:
    tool = Named("other")
    assert (tool.name, tool.description, tool.options) == ("other", "Another one.", ToolOptions(secret=True))
    assert tool.is_async


def test_parameters_become_one_schema() -> None:
    assert Weather().schema == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Name of the city."},
            "days": {"type": "integer", "minimum": 1, "default": 3},
            "unit": {"enum": ["c", "f", None]},
        },
        "required": ["city"],
        "additionalProperties": False,
    }


def test_callers_cannot_damage_the_schema() -> None:
    tool = Weather()
    tool.schema["properties"]["city"]["type"] = "integer"
    tool.schema.clear()
    assert tool.schema == Weather().schema
    assert tool.shape.properties["city"].types == {"string"}


@pytest.mark.parametrize("name", ["", " x", "x ", "a\nb", "a\x00", None, 3])
def test_a_name_is_one_line_without_blanks_around_it(name: Any) -> None:
    with pytest.raises(ConfigurationError, match="name"):
        Named(name)


def test_options_come_from_keywords() -> None:
    options = make_options({"retry_on": OSError, "tags": "web", "timeout": None, "rate_limit": RateLimit(3)})
    assert options == ToolOptions(
        retry_on=(OSError,), tags=frozenset({"web"}), timeout=None, rate_limit=RateLimit(3, 60.0)
    )
    assert make_options({"tags": ["a", "b"]}).tags == {"a", "b"}


def test_an_unknown_option_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ConfigurationError, match=r"no tool option 'time_out'. Did you mean timeout\?"):
        make_options({"time_out": 3})


@pytest.mark.parametrize(
    "wrong", [{"timeout": 0}, {"retries": -1}, {"cache_ttl": 0}, {"max_result": 0}, {"max_calls": 0}]
)
def test_options_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        ToolOptions(**wrong)


def test_side_effects_decide_consent_lossy_readings_and_retries() -> None:
    careful, harmless = ToolOptions(side_effects=True), ToolOptions()
    assert (careful.asks_first, careful.takes_lossy, careful.attempts) == (True, False, 1)
    assert (harmless.asks_first, harmless.takes_lossy, harmless.attempts) == (False, True, 3)
    overridden = ToolOptions(side_effects=True, confirm=False, allow_lossy=True, retries=1)
    assert (overridden.asks_first, overridden.takes_lossy, overridden.attempts) == (False, True, 2)
