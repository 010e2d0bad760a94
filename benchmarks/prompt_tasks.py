"""Tasks for small models over the tools of ``prompt_tools``: single calls, chains, and requests that need none.

``TASKS`` holds what is asked and what a right run looks like; nothing here talks to a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from benchmarks.prompt_tools import UNIT_NAMES, calculator
from react_engine.errors import ToolError

Matcher = Callable[[Any], bool]


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
    return lambda found: isinstance(found, str) and found.strip().casefold() in UNIT_NAMES[name]


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
