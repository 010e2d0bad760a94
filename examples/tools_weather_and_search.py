"""Two tools over fixed data: the weather of a few cities, and a search in a few pages.

The engine takes them by the name of this file::

    react-engine run --tools examples/tools_weather_and_search.py "How warm is it in Lisbon, in Fahrenheit?"

Types and docstrings are all that a tool needs; the model is shown what they say.
"""

from __future__ import annotations

import re
from typing import Literal, NotRequired, TypedDict

from react_engine import ToolError, tool


class Report(TypedDict):
    """The weather of one city."""

    city: str
    temperature: float
    unit: Literal["celsius", "fahrenheit"]
    sky: str


class Page(TypedDict):
    """A page that was found."""

    title: str
    address: str
    text: str
    matches: NotRequired[int]


WEATHER: dict[str, tuple[float, str]] = {
    "Cairo": (33.0, "clear"),
    "Lisbon": (22.5, "sunny"),
    "Oslo": (4.0, "light rain"),
    "Paris": (15.5, "cloudy"),
    "Tokyo": (18.0, "windy"),
}

PAGES: list[Page] = [
    {
        "title": "Eiffel Tower",
        "address": "https://pages.example/eiffel-tower",
        "text": "The Eiffel Tower in Paris is 330 metres tall. It was finished in 1889.",
    },
    {
        "title": "Belém Tower",
        "address": "https://pages.example/belem-tower",
        "text": "The Belém Tower in Lisbon was built from 1514 to 1519 and is 30 metres tall.",
    },
    {
        "title": "Tokyo Skytree",
        "address": "https://pages.example/tokyo-skytree",
        "text": "The Tokyo Skytree is 634 metres tall and was opened in 2012.",
    },
    {
        "title": "Great Pyramid of Giza",
        "address": "https://pages.example/great-pyramid",
        "text": "The Great Pyramid near Cairo was 146.6 metres tall when it was new, about 2560 BC.",
    },
    {
        "title": "Oslo Opera House",
        "address": "https://pages.example/oslo-opera",
        "text": "The roof of the opera house in Oslo can be walked on. It was opened in 2008.",
    },
]


@tool
def get_weather(city: str, unit: Literal["celsius", "fahrenheit"] = "celsius") -> Report:
    """Get the current weather of a city.

    Args:
        city: Name of the city in English, without the country.
        unit: Unit of the temperature.
    """
    found = {name.lower(): name for name in WEATHER}.get(city.strip().lower())
    if found is None:
        raise ToolError(
            f"No weather is known for {city}.",
            code="CITY_NOT_FOUND",
            hint=f"Cities with weather: {', '.join(WEATHER)}.",
        )
    celsius, sky = WEATHER[found]
    temperature = celsius if unit == "celsius" else round(celsius * 9 / 5 + 32, 1)
    return {"city": found, "temperature": temperature, "unit": unit, "sky": sky}


@tool(cache_ttl=300)
async def search_web(query: str, limit: int = 3) -> list[Page]:
    """Search the web and get the pages that fit best.

    Parameters
    ----------
    query : str
        A few words to look for.
    limit : int
        How many pages to give at most.
    """
    words = set(re.findall(r"\w+", query.lower()))
    found: list[Page] = []
    for page in PAGES:
        matches = len(words & set(re.findall(r"\w+", f"{page['title']} {page['text']}".lower())))
        if matches:
            found.append({**page, "matches": matches})
    found.sort(key=lambda page: -page.get("matches", 0))
    return found[: max(limit, 0)]


tools = [get_weather, search_web]
