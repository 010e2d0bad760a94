"""Fifteen tools that are easy to confuse. They answer from fixed data, so a run depends on the model and the prompt alone."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable
from typing import Literal

from simpleeval import simple_eval

from react_engine.errors import ToolError

_TEMPERATURES = {
    "oslo": 4,
    "cairo": 31,
    "tokyo": 18,
    "madrid": 27,
    "rome": 24,
    "lima": 20,
    "reykjavik": 2,
    "beijing": 12,
    "北京": 12,
    "shanghai": 17,
    "上海": 17,
    "东京": 18,
}
_RATES = {"USD": 1.0, "EUR": 0.9, "JPY": 150.0, "GBP": 0.8, "CHF": 0.85, "DKK": 6.7, "CNY": 7.2}
_FILES = {
    "notes/todo.txt": "1. water the plants\n2. call the plumber",
    "budget.txt": "rent 900\nfood 340\ntravel 125",
    "greeting.txt": "good evening",
    "kitchen/eggs.txt": "Boil the eggs for 7 minutes.",
    "data/a.csv": "x,y\n1,2",
    "data/b.csv": "x,y\n3,4",
    "reports/harbour_2031.md": "The harbour handled 812 ships.",
    "预算.txt": "房租 900\n食物 340\n交通 125",
    "笔记/计划.txt": "周一: 写报告",
    "/etc/hosts": "127.0.0.1 localhost",
}
_EVENTS = {
    "2031-05-02": "10:00 project review with Nadia",
    "2031-12-24": "18:00 family dinner",
    "2031-08-01": "09:00 与王芳开会",
}
_UNITS = {
    "mile": ("length", 1609.344),
    "kilometer": ("length", 1000.0),
    "meter": ("length", 1.0),
    "foot": ("length", 0.3048),
    "gram": ("mass", 0.001),
    "pound": ("mass", 0.45359237),
    "kilogram": ("mass", 1.0),
}
UNIT_NAMES = {
    "mile": ("mi", "mile", "miles", "英里"),
    "kilometer": ("km", "kilometer", "kilometers", "kilometre", "kilometres", "公里", "千米"),
    "meter": ("m", "meter", "meters", "metre", "metres", "米"),
    "foot": ("ft", "foot", "feet", "英尺"),
    "gram": ("g", "gram", "grams", "克"),
    "pound": ("lb", "lbs", "pound", "pounds", "磅"),
    "kilogram": ("kg", "kilogram", "kilograms", "公斤"),
    "celsius": ("c", "°c", "celsius", "degc", "摄氏度", "degrees celsius"),
    "fahrenheit": ("f", "°f", "fahrenheit", "degf", "华氏度", "degrees fahrenheit"),
}
_PAGES = {
    "fuji": "Mount Fuji is 3776 metres high.",
    "富士": "富士山高 3776 米。",
    "tour de france": "The 2029 Tour de France was won by Ilan Brecht.",
    "batter": "Three articles on solid-state batteries: A, B, C.",
    "高铁": "北京到上海的高铁二等座票价为 553 元。",
    "train": "A second-class seat from Beijing to Shanghai costs 553 yuan.",
}
_PHRASES = {
    "good morning": "buongiorno",
    "the library is closed": "die Bibliothek ist geschlossen",
    "good evening": "bonsoir",
    "早上好": "good morning",
}
_CLOCKS = {"new": "08:15", "tokyo": "21:15", "东京": "21:15", "london": "13:15", "utc": "12:15"}


def _unit(name: str) -> str:
    for unit, names in UNIT_NAMES.items():
        if name.strip().casefold() in names:
            return unit
    raise ToolError(f"unknown unit {name!r}")


def _number(value: float) -> str:
    return f"{value:.10g}" if abs(value) >= 1000 else f"{value:.4g}"


def calculator(expression: str) -> str:
    """Evaluate an arithmetic expression, for example 2 * (3 + 4).

    Args:
        expression: numbers, + - * / % **, parentheses, sqrt()
    """
    try:
        value = simple_eval(expression.replace("^", "**").replace(",", ""), functions={"sqrt": lambda x: x**0.5})
    except Exception as err:  # simpleeval raises whatever the expression makes Python raise
        raise ToolError(f"cannot evaluate {expression!r}") from err
    return _number(value) if isinstance(value, float) and not value.is_integer() else str(int(value))


def weather_now(city: str, units: Literal["metric", "imperial"] = "metric") -> str:
    """Current weather in a city.

    Args:
        city: name of the city
        units: metric for Celsius, imperial for Fahrenheit
    """
    degrees = _TEMPERATURES.get(city.split(",")[0].strip().casefold())
    if degrees is None:
        raise ToolError(f"no station in {city!r}")
    return f"{city}: {degrees}°C, cloudy" if units == "metric" else f"{city}: {degrees * 9 / 5 + 32:g}°F, cloudy"


def weather_forecast(city: str, days: int) -> str:
    """Weather forecast for the coming days in a city.

    Args:
        city: name of the city
        days: number of days, 1 to 7
    """
    if not 1 <= days <= 7:
        raise ToolError("days must be 1 to 7")
    return f"{city}, next {days} days: rain on day 1, dry afterwards"


def convert_units(value: float, from_unit: str, to_unit: str) -> str:
    """Convert a length, mass or temperature from one unit to another.

    Args:
        value: the amount
        from_unit: unit of the amount, such as mile or celsius
        to_unit: unit wanted
    """
    source, target = _unit(from_unit), _unit(to_unit)
    if {source, target} == {"celsius", "fahrenheit"}:
        return f"{_number(value * 9 / 5 + 32 if source == 'celsius' else (value - 32) * 5 / 9)} {to_unit}"
    if source not in _UNITS or target not in _UNITS or _UNITS[source][0] != _UNITS[target][0]:
        raise ToolError(f"cannot convert {from_unit} to {to_unit}")
    return f"{_number(value * _UNITS[source][1] / _UNITS[target][1])} {to_unit}"


def convert_currency(amount: float, from_currency: str, to_currency: str) -> str:
    """Convert money from one currency to another at today's rate.

    Args:
        amount: the sum of money
        from_currency: three-letter code, such as USD
        to_currency: three-letter code of the currency wanted
    """
    try:
        result = amount / _RATES[from_currency.upper()] * _RATES[to_currency.upper()]
    except KeyError as err:
        raise ToolError(f"unknown currency {err.args[0]!r}") from err
    return f"{result:.2f} {to_currency.upper()}"


def calendar_add(title: str, date: str, time: str | None = None) -> str:
    """Put a new event into the calendar.

    Args:
        title: what the event is
        date: the day as YYYY-MM-DD
        time: the time as HH:MM
    """
    return f"added: {title} on {date}" + (f" at {time}" if time else "")


def calendar_list(date: str) -> str:
    """List the events of one day in the calendar.

    Args:
        date: the day as YYYY-MM-DD
    """
    return _EVENTS.get(date, "no events")


def read_file(path: str) -> str:
    """Show the text of a file.

    Args:
        path: path of the file
    """
    if path in _FILES:
        return _FILES[path]
    raise ToolError(f"no file {path!r}; use search_files to find the right path")


def write_file(path: str, text: str) -> str:
    """Save text in a file.

    Args:
        path: path of the file
        text: the whole new text of the file
    """
    return f"saved {len(text)} characters to {path}"


def search_files(pattern: str, folder: str = ".") -> str:
    """Find files by name.

    Args:
        pattern: name with wildcards, such as *.txt
        folder: folder to look in
    """
    names = [
        path
        for path in _FILES
        if (folder in (".", "/", "") or path.startswith(folder.strip("./")))
        and fnmatch.fnmatch(path.rsplit("/")[-1], pattern if "*" in pattern else f"*{pattern}*")
    ]
    return "\n".join(names) or "no file found"


def web_search(query: str, max_results: int = 5) -> str:
    """Search the web for facts and news.

    Args:
        query: what to look for
        max_results: how many results to give
    """
    for key, text in _PAGES.items():
        if key in query.casefold():
            return text
    return "nothing found"


def translate(text: str, target_language: str) -> str:
    """Translate a text into another language.

    Args:
        text: the text to translate
        target_language: language to translate into
    """
    return _PHRASES.get(text.strip().strip("'\".").casefold(), f"[{target_language}] {text}")


def set_timer(seconds: int, label: str | None = None) -> str:
    """Start a countdown timer.

    Args:
        seconds: duration in seconds
        label: what the timer is for
    """
    return f"timer started: {seconds} s"


def current_time(timezone: str = "UTC") -> str:
    """Tell the current time.

    Args:
        timezone: IANA name, such as Europe/Oslo
    """
    for key, text in _CLOCKS.items():
        if key in timezone.casefold():
            return text
    return _CLOCKS["utc"]


def send_message(to: list[str], text: str) -> str:
    """Send a text message to one or more people.

    Args:
        to: names of the people
        text: the message
    """
    return f"sent to {', '.join(to)}"


FUNCTIONS: tuple[Callable[..., str], ...] = (
    calculator,
    weather_now,
    weather_forecast,
    convert_units,
    convert_currency,
    calendar_add,
    calendar_list,
    read_file,
    write_file,
    search_files,
    web_search,
    translate,
    set_timer,
    current_time,
    send_message,
)
