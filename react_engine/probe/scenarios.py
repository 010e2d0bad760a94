"""The scenarios of a probe: what is offered, what is said, and how the reply has to look."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from react_engine.suites.matching import fits, told
from react_engine.tools.function import tool_from_schema
from react_engine.tools.tool import Tool
from react_engine.types import Message, Reading, Status, ToolCall, ToolResult, Transcript

Judge = Callable[[Reading], str]
"""What is wrong with a reading, in a few words; empty if nothing is."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One question to a model."""

    name: str
    about: str
    tools: tuple[Tool, ...]
    transcript: Transcript
    judge: Judge
    tool_choice: str = "auto"
    streamed: bool = False


def _tool(name: str, description: str, **properties: str) -> Tool:
    schema = {
        "type": "object",
        "properties": {key: {"type": "string", "description": text} for key, text in properties.items()},
        "required": list(properties),
        "additionalProperties": False,
    }
    return tool_from_schema(name, description, schema, lambda **_: "")


WEATHER = _tool("get_weather", "Current weather in a city.", city="name of the city")
NOTE = _tool("save_note", "Save a note, word by word.", text="the text of the note, with its line breaks")
OTHERS = tuple(
    _tool(name, description, **{argument: about})
    for name, description, argument, about in (
        ("get_forecast", "Weather of the coming week in a city.", "city", "name of the city"),
        ("get_air_quality", "Air quality in a city.", "city", "name of the city"),
        ("get_sunrise", "Time of sunrise in a city.", "city", "name of the city"),
        ("find_hotel", "Find a hotel in a city.", "city", "name of the city"),
        ("find_restaurant", "Find a restaurant in a city.", "city", "name of the city"),
        ("find_route", "Find the way to a place.", "place", "where to"),
        ("read_note", "Read a note.", "title", "title of the note"),
        ("delete_note", "Delete a note.", "title", "title of the note"),
        ("send_mail", "Send a mail.", "text", "text of the mail"),
        ("read_mail", "Read the mails of a person.", "person", "who wrote them"),
        ("set_alarm", "Set an alarm.", "time", "as HH:MM"),
        ("set_timer", "Start a timer.", "minutes", "how long"),
        ("play_music", "Play a song.", "title", "title of the song"),
        ("open_door", "Open a door.", "door", "which one"),
        ("switch_light", "Switch a light.", "room", "which room"),
        ("translate_text", "Translate a text into English.", "text", "what to translate"),
        ("get_price", "Price of a product.", "product", "name of the product"),
        ("order_product", "Order a product.", "product", "name of the product"),
    )
)
FEW, MANY = (WEATHER, NOTE), (*OTHERS[:9], WEATHER, *OTHERS[9:], NOTE)
_OSLO = {"city": "Oslo*"}
_TEXT = 'He said "hello".\nThen he left.'


def _calls(*wanted: tuple[str, Mapping[str, Any]]) -> Judge:
    def judge(reading: Reading) -> str:
        if reading.problems:
            return reading.problems[0].code
        if not reading.calls:
            return "no call"
        for name, arguments in wanted:
            named = [call for call in reading.calls if call.name == name]
            if not named:
                return (
                    f"called {reading.calls[0].name}" if len(wanted) == 1 else f"{len(reading.calls)} of {len(wanted)}"
                )
            if not any(fits(arguments, call.arguments) for call in named):
                return (
                    f"{len(reading.calls)} of {len(wanted)}" if len(wanted) > len(reading.calls) else "wrong arguments"
                )
        return "spare calls" if len(reading.calls) > len(wanted) else ""

    return judge


def _answers(expected: str) -> Judge:
    def judge(reading: Reading) -> str:
        if reading.calls:
            return f"called {reading.calls[0].name}"
        if reading.answer is None:
            return reading.problems[0].code if reading.problems else "no answer"
        return "" if told(expected, reading.answer) else "wrong answer"

    return judge


def _exact(reading: Reading) -> str:
    wrong = _calls(("save_note", {"text": "*"}))(reading)
    if wrong:
        return wrong
    text = str(reading.calls[0].arguments["text"])
    return "" if text.strip() == _TEXT else "text changed"


def _asked(text: str) -> Transcript:
    return (Message.user(text),)


def _with_result() -> Transcript:
    call = ToolCall("get_weather", {"city": "Oslo"}, "call00000")
    result = ToolResult("call00000", "get_weather", Status.SUCCESS, "Oslo: 7 degrees, hail")
    return (Message.user("What is the weather in Oslo?"), Message.assistant(calls=(call,)), Message.tool((result,)))


_ONE = "What is the weather in Oslo right now?"
SCENARIOS: Sequence[Scenario] = (
    Scenario("one", "one tool of two", FEW, _asked(_ONE), _calls(("get_weather", _OSLO))),
    Scenario("twenty", "one tool of twenty", MANY, _asked(_ONE), _calls(("get_weather", _OSLO))),
    Scenario(
        "parallel",
        "two calls in one reply",
        FEW,
        _asked("What is the weather in Oslo, and what is it in Cairo? Look up both at once."),
        _calls(("get_weather", _OSLO), ("get_weather", {"city": "Cairo*"})),
    ),
    Scenario("streamed", "the same, streamed", FEW, _asked(_ONE), _calls(("get_weather", _OSLO)), streamed=True),
    Scenario(
        "forced", "a named tool", FEW, _asked("Hello! How are you?"), _calls(("save_note", {})), tool_choice="save_note"
    ),
    Scenario(
        "quotes",
        "quotes and a line break",
        FEW,
        _asked(f"Save a note with exactly this text of two lines:\n{_TEXT}"),
        _exact,
    ),
    Scenario("result", "answers from a result", FEW, _with_result(), _answers("7|hail")),
    Scenario("no tool", "answers without a call", FEW, _asked("Hello! How are you today?"), _answers("")),
)
"""In the order in which they are asked. "one" comes first: without it the rest of a path says nothing."""
