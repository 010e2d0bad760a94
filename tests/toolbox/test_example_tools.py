"""The example tools run as they are shown."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from react_engine.tools.executor import Executor
from react_engine.tools.registry import Registry
from react_engine.types import Status, ToolCall

pytestmark = pytest.mark.anyio

EXAMPLE = Path(__file__).parents[2] / "examples" / "tools_weather_and_search.py"


@pytest.fixture(scope="module")
def registry() -> Registry:
    """The tools of the example."""
    return Registry(runpy.run_path(str(EXAMPLE))["tools"])


async def results(registry: Registry, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    done = await Executor(registry).execute([ToolCall(name, arguments) for name, arguments in calls])
    assert all(result.ok for result in done)
    return [json.loads(result.text) for result in done]


async def test_weather_in_both_units(registry: Registry) -> None:
    celsius, fahrenheit = await results(
        registry, ("get_weather", {"city": "lisbon"}), ("get_weather", {"city": "Lisbon", "unit": "Fahrenheit"})
    )
    assert celsius == {"city": "Lisbon", "temperature": 22.5, "unit": "celsius", "sky": "sunny"}
    assert fahrenheit == {"city": "Lisbon", "temperature": 72.5, "unit": "fahrenheit", "sky": "sunny"}


async def test_a_city_without_weather_is_the_models_to_decide(registry: Registry) -> None:
    [result] = await Executor(registry).execute([ToolCall("get_weather", {"city": "Atlantis"})])
    assert (result.status, result.code) == (Status.BUSINESS_ERROR, "CITY_NOT_FOUND")
    assert result.hint == "Cities with weather: Cairo, Lisbon, Oslo, Paris, Tokyo."


async def test_search_gives_the_best_pages_first(registry: Registry) -> None:
    [pages] = await results(registry, ("search_web", {"query": "How tall is the Eiffel tower?", "limit": "2"}))
    assert [page["title"] for page in pages] == ["Eiffel Tower", "Belém Tower"]


async def test_a_search_without_a_match_is_empty(registry: Registry) -> None:
    assert await results(registry, ("search_web", {"query": "zzz"})) == [[]]


def test_docstrings_in_both_styles_describe_the_arguments(registry: Registry) -> None:
    for tool in registry:
        properties = tool.schema["properties"]
        assert all(schema.get("description") for schema in properties.values()), tool.name
        assert "Parameters" not in tool.description
        assert "Args" not in tool.description
