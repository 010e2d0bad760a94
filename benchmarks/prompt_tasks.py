"""Tasks for small models: fifteen tools that are easy to confuse, single calls, chains, and requests that need none.

The tools answer from fixed data, so a run depends on the model and the prompt alone. ``TASKS`` holds what is asked
and what a right run looks like; nothing here talks to a model.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from simpleeval import simple_eval

from react_engine.errors import ToolError

Matcher = Callable[[Any], bool]

# ---------------------------------------------------------------------------------------------------- data

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
_UNIT_NAMES = {
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


# --------------------------------------------------------------------------------------------------- tools


def _unit(name: str) -> str:
    for unit, names in _UNIT_NAMES.items():
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

# ------------------------------------------------------------------------------------------------ checkers


def one_of(*values: Any) -> Matcher:
    """Any of these values, whatever the case of a string."""
    return lambda found: any(equal(value, found) for value in values)


def has(*parts: str) -> Matcher:
    """A string that contains every part, whatever the case."""
    return lambda found: isinstance(found, str) and all(part.casefold() in found.casefold() for part in parts)


def gives(value: float) -> Matcher:
    """An arithmetic expression with this value."""

    def check(found: Any) -> bool:
        try:
            return abs(float(calculator(str(found))) - value) <= abs(value) * 1e-3
        except (ToolError, ValueError):
            return False

    return check


def unit(name: str) -> Matcher:
    """Any name of this unit."""
    return lambda found: isinstance(found, str) and found.strip().casefold() in _UNIT_NAMES[name]


def equal(expected: Any, found: Any) -> bool:
    """Equality as a checker sees it: case and outer blanks of strings do not count, True is no number."""
    if isinstance(expected, str) and isinstance(found, str):
        return expected.strip().casefold() == found.strip().casefold()
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(equal, expected, found))
    return type(found) is not bool and expected == found


@dataclass(frozen=True, slots=True)
class Expected:
    """A call that a right run makes. Arguments it does not name must be absent or have their default."""

    tool: str
    arguments: Mapping[str, Any]
    optional: Mapping[str, Any] = field(default_factory=dict)

    def accepts(self, arguments: Mapping[str, Any]) -> bool:
        """Whether these arguments are right."""
        checks = {**self.optional, **self.arguments}
        if any(name not in arguments for name in self.arguments) or any(name not in checks for name in arguments):
            return False
        return all(_accepts(checks[name], value) for name, value in arguments.items())


def _accepts(check: Any, value: Any) -> bool:
    return bool(check(value)) if callable(check) else equal(check, value)


@dataclass(frozen=True, slots=True)
class Task:
    """A request, the calls that serve it in order, and what the answer must contain. No calls: none may be made."""

    text: str
    calls: tuple[Expected, ...] = ()
    answer: tuple[str, ...] = ()
    chinese: bool = False

    @property
    def kind(self) -> Literal["none", "single", "chain"]:
        """How much the task asks for."""
        return "none" if not self.calls else "single" if len(self.calls) == 1 else "chain"

    def answered(self, text: str) -> bool:
        """Whether the answer has what it must; digits may be grouped."""
        flat = re.sub(r"(?<=\d)[,  ](?=\d{3})", "", text).casefold()
        return all(any(option in flat for option in part.casefold().split("|")) for part in self.answer)


def call(tool: str, /, **arguments: Any) -> Expected:
    """Shorthand: arguments whose name ends in ``_`` may be left out."""
    return Expected(
        tool,
        {name: value for name, value in arguments.items() if not name.endswith("_")},
        {name[:-1]: value for name, value in arguments.items() if name.endswith("_")},
    )


def anything(found: Any) -> bool:
    """Every value."""
    return True


_WARM = {"units_": "metric"}
_ANY = {"units_": one_of("metric", "imperial")}  # the request does not say which

TASKS: tuple[Task, ...] = (
    # single calls
    Task("What is 37 * 412?", (call("calculator", expression=gives(15244)),), ("15244",)),
    Task("What is 18% of 2450?", (call("calculator", expression=gives(441)),), ("441",)),
    Task("Compute (125 + 75) / 8.", (call("calculator", expression=gives(25)),), ("25",)),
    Task("What is 2 to the power of 16?", (call("calculator", expression=gives(65536)),), ("65536",)),
    Task("What's the weather in Oslo right now?", (call("weather_now", city="Oslo", **_WARM),), ("4",)),
    Task(
        "How warm is it in Tokyo at the moment, in Fahrenheit?",
        (call("weather_now", city="Tokyo", units="imperial"),),
        ("64.4",),
    ),
    Task(
        "Will it rain in Madrid over the next 3 days?",
        (call("weather_forecast", city="Madrid", days=3),),
        ("rain",),
    ),
    Task(
        "Give me the outlook for Reykjavik for the coming five days.",
        (call("weather_forecast", city="Reykjavik", days=5),),
        ("rain",),
    ),
    Task(
        "Convert 26.2 miles to kilometers.",
        (call("convert_units", value=26.2, from_unit=unit("mile"), to_unit=unit("kilometer")),),
        ("42.1",),
    ),
    Task(
        "How many grams are 3 pounds?",
        (call("convert_units", value=3, from_unit=unit("pound"), to_unit=unit("gram")),),
        ("1360|1361",),
    ),
    Task(
        "My fever is 39 degrees Celsius. What is that in Fahrenheit?",
        (call("convert_units", value=39, from_unit=unit("celsius"), to_unit=unit("fahrenheit")),),
        ("102.2",),
    ),
    Task(
        "How much is 250 US dollars in euros?",
        (call("convert_currency", amount=250, from_currency="USD", to_currency="EUR"),),
        ("225",),
    ),
    Task(
        "Change 8000 yen into British pounds.",
        (call("convert_currency", amount=8000, from_currency="JPY", to_currency="GBP"),),
        ("42.67",),
    ),
    Task(
        "I have 1200 Swiss francs. What is that worth in Danish kroner?",
        (call("convert_currency", amount=1200, from_currency="CHF", to_currency="DKK"),),
        ("9458",),
    ),
    Task(
        "Add a dentist appointment on 2031-03-14 at 09:30.",
        (call("calendar_add", title=has("dentist"), date="2031-03-14", time="09:30"),),
        ("dentist",),
    ),
    Task(
        "Put 'Team lunch' into my calendar on 3 July 2031 at noon.",
        (call("calendar_add", title="Team lunch", date="2031-07-03", time="12:00"),),
        ("lunch",),
    ),
    Task("What is in my calendar for 2031-05-02?", (call("calendar_list", date="2031-05-02"),), ("Nadia",)),
    Task(
        "Is anything planned on Christmas Eve 2031?",
        (call("calendar_list", date="2031-12-24"),),
        ("dinner",),
    ),
    Task("Show me what is in notes/todo.txt.", (call("read_file", path="notes/todo.txt"),), ("plumber",)),
    Task("Open the file /etc/hosts.", (call("read_file", path="/etc/hosts"),), ("localhost",)),
    Task(
        'Save the text "buy milk" in the file shopping.txt.',
        (call("write_file", path="shopping.txt", text="buy milk"),),
        ("shopping.txt|saved",),
    ),
    Task(
        'Write this line to quote.txt: She said "stop" and left.',
        (call("write_file", path="quote.txt", text=one_of('She said "stop" and left.', 'She said "stop" and left')),),
        ("quote.txt|saved|written|wrote",),
    ),
    Task(
        "Find all files ending in .csv in the folder data.",
        (call("search_files", pattern="*.csv", folder=one_of("data", "data/", "./data")),),
        ("a.csv",),
    ),
    Task(
        "Search the web for the winner of the 2029 Tour de France.",
        (call("web_search", query=has("tour de france"), max_results_=anything),),
        ("Brecht",),
    ),
    Task(
        "Look for news about solid-state batteries, only three results.",
        (call("web_search", query=has("batter"), max_results=3),),
        ("batter",),
    ),
    Task(
        'Translate "good morning" into Italian.',
        (call("translate", text="good morning", target_language=one_of("Italian", "it")),),
        ("buongiorno",),
    ),
    Task(
        'How do you say "the library is closed" in German?',
        (call("translate", text=has("the library is closed"), target_language=one_of("German", "de")),),
        ("Bibliothek",),
    ),
    Task("Set a timer for 90 seconds.", (call("set_timer", seconds=90, label_=anything),), ("90|timer",)),
    Task(
        "Start a 5 minute timer for the pasta.",
        (call("set_timer", seconds=300, label_=has("pasta")),),
        ("timer|5|five",),
    ),
    Task(
        "What time is it in New York?",
        (call("current_time", timezone=one_of("America/New_York", "New York", "America/New York")),),
        ("8:15",),
    ),
    Task(
        'Text Anna and Ben: "I am running late".',
        (call("send_message", to=["Anna", "Ben"], text=has("i am running late")),),
        ("sent|Anna",),
    ),
    Task(
        "Tell Priya by message that the parcel has arrived.",
        (call("send_message", to=["Priya"], text=has("parcel", "arrived")),),
        ("sent|Priya",),
    ),
    Task("37 乘以 412 等于多少?", (call("calculator", expression=gives(15244)),), ("15244",), chinese=True),
    Task(
        "北京现在天气怎么样?",
        (call("weather_now", city=one_of("北京", "Beijing", "北京市"), **_WARM),),
        ("12",),
        chinese=True,
    ),
    Task(
        "上海未来三天会下雨吗?",
        (call("weather_forecast", city=one_of("上海", "Shanghai", "上海市"), days=3),),
        ("雨|rain",),
        chinese=True,
    ),
    Task(
        "把 10 公里换算成英里。",
        (call("convert_units", value=10, from_unit=unit("kilometer"), to_unit=unit("mile")),),
        ("6.21",),
        chinese=True,
    ),
    Task(
        "100 美元可以换多少人民币?",
        (call("convert_currency", amount=100, from_currency="USD", to_currency="CNY"),),
        ("720",),
        chinese=True,
    ),
    Task("2031年8月1日我有什么安排?", (call("calendar_list", date="2031-08-01"),), ("王芳",), chinese=True),
    Task(
        "把“早上好”翻译成英文。",
        (call("translate", text="早上好", target_language=one_of("English", "en", "英文", "英语")),),
        ("good morning",),
        chinese=True,
    ),
    Task(
        "定一个十分钟的计时器。", (call("set_timer", seconds=600, label_=anything),), ("600|10|ten|十",), chinese=True
    ),
    Task("读取文件 笔记/计划.txt 的内容。", (call("read_file", path="笔记/计划.txt"),), ("报告",), chinese=True),
    Task(
        "上网查一下北京到上海的高铁票价。",
        (call("web_search", query=anything, max_results_=anything),),
        ("553",),
        chinese=True,
    ),
    Task(
        "现在东京几点了?", (call("current_time", timezone=one_of("Asia/Tokyo", "东京")),), ("21:15|9:15",), chinese=True
    ),
    Task(
        "给小李发消息,说会议改到三点。",
        (call("send_message", to=["小李"], text=has("会议", "三点")),),
        ("小李|发送",),
        chinese=True,
    ),
    # no tool needed
    Task("Hello, how are you?"),
    Task("Thanks, that was all."),
    Task("What is the opposite of 'hot'?", answer=("cold",)),
    Task("Write one line of poetry about rain."),
    Task("你好!", chinese=True),
    Task("谢谢你,再见。", chinese=True),
    # chains
    Task(
        "What is the temperature difference between Oslo and Cairo right now?",
        (call("weather_now", city="Oslo", **_ANY), call("weather_now", city="Cairo", **_ANY)),
        ("27|48.6",),
    ),
    Task(
        "Which city is warmer at the moment, Madrid or Rome?",
        (call("weather_now", city="Madrid", **_ANY), call("weather_now", city="Rome", **_ANY)),
        ("Madrid",),
    ),
    Task(
        "Add up all the amounts in budget.txt.",
        (call("read_file", path="budget.txt"), call("calculator", expression=gives(1365))),
        ("1365",),
    ),
    Task(
        "Find the file about the harbour and tell me what it says.",
        (
            call("search_files", pattern=has("harbour"), folder_=anything),
            call("read_file", path=has("harbour_2031.md")),
        ),
        ("812",),
    ),
    Task(
        "Translate the text in greeting.txt into French.",
        (
            call("read_file", path="greeting.txt"),
            call("translate", text=has("good evening"), target_language=one_of("French", "fr")),
        ),
        ("bonsoir",),
    ),
    Task(
        "Search the web for the height of Mount Fuji in metres, then convert it to feet.",
        (
            call("web_search", query=has("fuji"), max_results_=anything),
            call("convert_units", value=3776, from_unit=unit("meter"), to_unit=unit("foot")),
        ),
        ("12388|12390",),
    ),
    Task(
        "Convert 120 US dollars to euros and multiply the result by 7.",
        (
            call("convert_currency", amount=120, from_currency="USD", to_currency="EUR"),
            call("calculator", expression=gives(756)),
        ),
        ("756",),
    ),
    Task(
        "Look up who I meet on 2031-05-02 and send that person the message 'See you there'.",
        (call("calendar_list", date="2031-05-02"), call("send_message", to=["Nadia"], text=has("see you there"))),
        ("Nadia|sent",),
    ),
    Task(
        "Read kitchen/eggs.txt and set a timer for the time it says.",
        (call("read_file", path="kitchen/eggs.txt"), call("set_timer", seconds=420, label_=anything)),
        ("timer|420|7",),
    ),
    Task(
        "Get the current time in Tokyo and save it in now.txt.",
        (call("current_time", timezone=has("tokyo")), call("write_file", path="now.txt", text=has("21:15"))),
        ("now.txt|saved|21:15",),
    ),
    Task(
        "Set a timer for 60 seconds and tell me the weather in Rome.",
        (call("set_timer", seconds=60, label_=anything), call("weather_now", city="Rome", **_ANY)),
        ("24|75",),
    ),
    Task(
        "Show me the report harbour_2031.md.",
        (
            call("search_files", pattern=has("harbour"), folder_=anything),
            call("read_file", path="reports/harbour_2031.md"),
        ),
        ("812",),
    ),
    Task(
        "北京和上海现在哪个更热?",
        (
            call("weather_now", city=one_of("北京", "Beijing", "北京市"), **_ANY),
            call("weather_now", city=one_of("上海", "Shanghai", "上海市"), **_ANY),
        ),
        ("上海|Shanghai",),
        chinese=True,
    ),
    Task(
        "计算 预算.txt 里所有金额的总和。",
        (call("read_file", path="预算.txt"), call("calculator", expression=gives(1365))),
        ("1365",),
        chinese=True,
    ),
    Task(
        "上网查富士山有多少米高,再换算成英尺。",
        (
            call("web_search", query=anything, max_results_=anything),
            call("convert_units", value=3776, from_unit=unit("meter"), to_unit=unit("foot")),
        ),
        ("12388|12390",),
        chinese=True,
    ),
    Task(
        "查一下我2031年8月1日和谁开会,然后给她发消息“明天见”。",
        (call("calendar_list", date="2031-08-01"), call("send_message", to=["王芳"], text=has("明天见"))),
        ("王芳|发送",),
        chinese=True,
    ),
)
