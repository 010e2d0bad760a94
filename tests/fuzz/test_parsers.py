"""Parsers of others: a function of the user's, and libraries in processes of their own."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from react_engine.errors import ConfigurationError
from react_engine.fuzz import contract
from react_engine.fuzz.cases import Case
from react_engine.fuzz.growth import ORDINARY, TOOLS, WORST, Curve, curves, grown
from react_engine.fuzz.judge import Read
from react_engine.fuzz.meaning import Call
from react_engine.fuzz.parsers import as_calls, own, parser_of
from react_engine.fuzz.peers import adapters
from react_engine.fuzz.peers.libraries import LIBRARIES, Beside, chosen
from react_engine.parsers.index import ToolIndex

PARSER = """
class NoCall(Exception):
    pass

def parse(text, tools):
    if "refuse" in text:
        raise NoCall(text)
    if "die" in text:
        raise KeyError(text)
    if "odd" in text:
        return [{"name": "f", "arguments": "text"}]
    return {"calls": [{"name": tools[0]["name"], "arguments": {"text": text}}], "answer": "said"}

parse.refusals = (NoCall,)
not_callable = 3
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with a parser."""
    path = tmp_path / "mine.py"
    path.write_text(PARSER, encoding="utf-8")
    return path


def read(spec: str, text: str) -> Read:
    """What a parser makes of a text."""
    found = parser_of(spec)(Case("1", text, TOOLS))
    return Read(found.calls, found.answer, 0.0, found.error)


def test_a_function_in_a_file_is_a_parser(file: Path) -> None:
    spec = f"{file}:parse"
    assert read(spec, "x") == Read((Call("f", {"text": "x"}),), "said")
    assert read(spec, "refuse") == Read()
    assert read(spec, "die") == Read(error="KeyError: 'die'")
    assert (
        read(spec, "odd").error
        == "gave what is no list of calls: expected a name and a mapping of arguments, found 'f' and str"
    )


def test_no_name_is_the_reader_and_a_module_is_imported() -> None:
    assert parser_of("") is own
    assert read("json:loads", "1").error.startswith("TypeError")


@pytest.mark.parametrize(
    "spec", ["nonsense", ":parse", "json:", "json:no_such", "no_such_module:parse", "no_such.py:parse"]
)
def test_a_parser_that_is_not_there_is_a_mistake_of_settings(spec: str) -> None:
    with pytest.raises(ConfigurationError):
        parser_of(spec)


def test_what_is_no_function_is_refused(file: Path) -> None:
    with pytest.raises(ConfigurationError, match="is a int"):
        parser_of(f"{file}:not_callable")


def test_calls_may_be_mappings_or_objects() -> None:
    assert as_calls(None) == ((), None)
    assert as_calls([Call("f", {})]) == ((Call("f", {}),), None)
    with pytest.raises(KeyError):
        as_calls([{"arguments": {}}])


def test_the_contract_holds_for_a_split_anywhere() -> None:
    text = 'Thought: I look.\nAction: f\nAction Input: {"a": "x"}\nObservation: 3'
    assert contract.split_anywhere(text, ToolIndex(TOOLS)) == ""


def test_curves_tell_the_slope_and_stop_where_it_takes_too_long() -> None:
    def parser(case: Case) -> Read:
        return Read(seconds=(len(case.text) / 1000) ** 2 / 100)

    (curve,) = curves(parser, [("square", ("", "x", ""))], (1_000, 10_000, 100_000, 1_000_000), patience=50)
    assert curve.exponent == pytest.approx(2)
    assert curve.stopped == "over 50 s"
    assert Curve("one", ((1000, 0.1),)).exponent is None
    assert all(len(grown(shape, 5000)) <= 5100 for shape in (*ORDINARY.values(), *WORST.values()))


def test_an_adapter_tells_refusals_crashes_and_what_is_no_json_apart() -> None:
    def adapter(text: str, tools: list[dict[str, Any]], _dialect: str) -> adapters.Reading:
        if text == "refuse":
            raise adapters.Refused
        if text == "die":
            raise KeyError(text)
        return adapters._calls("f", {1} if text == "set" else text, tools)

    def one(text: str) -> dict[str, Any]:
        found = adapters._one(
            adapter,
            {"text": text, "tools": [{"name": "f", "parameters": {"properties": {"a": {}}}}], "dialect": "any"},
            5.0,
        )
        assert found.pop("seconds") >= 0
        return found

    assert one("x") == {"calls": [{"name": "f", "arguments": {"a": "x"}}], "answer": None}
    assert one('{"a": 2}') == {"calls": [{"name": "f", "arguments": {"a": 2}}], "answer": None}
    assert one("refuse") == {"calls": []}
    assert one("die") == {"error": "KeyError: 'die'"}
    assert "no JSON" in one("set")["error"]


@pytest.mark.skipif(not hasattr(__import__("signal"), "setitimer"), reason="no interval timer here")
def test_an_adapter_is_stopped_when_it_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    import signal

    def adapter(_text: str, _tools: list[dict[str, Any]], _dialect: str) -> adapters.Reading:
        until = time.monotonic() + 20
        while time.monotonic() < until:
            pass
        return [], None

    before = signal.signal(signal.SIGALRM, adapters._time_up)
    try:
        found = adapters._one(adapter, {"text": "x", "tools": [], "dialect": "any"}, 0.05)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert found["timeout"] is True


def test_a_library_that_is_not_there_is_told_so() -> None:
    with pytest.raises(ConfigurationError, match="qwen-agent did not start"):
        Beside(LIBRARIES["qwen-agent"], sys.executable)


def test_libraries_are_chosen_by_name() -> None:
    assert [library.name for library in chosen("crewai, json-repair")] == ["crewai", "json-repair"]
    assert len(chosen("all")) == len(LIBRARIES) == len(adapters.ADAPTERS)
    with pytest.raises(ConfigurationError, match="Known: langchain"):
        chosen("dspy")
