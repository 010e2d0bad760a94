"""``react-engine parse``: a reply in, its reading out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from react_engine.cli import exit_codes
from tests.cli.driving import TOOLS, react_engine

CALL = "Thought: I add.\nAction: add\nAction Input: {'a': 1, \"b\": 2}"
DEFINITION = {"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with tools in Python and in JSON, and a reply."""
    (tmp_path / "tools.py").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "tools.json").write_text(json.dumps([DEFINITION]), encoding="utf-8")
    (tmp_path / "reply.txt").write_text(CALL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_json_is_the_reading() -> None:
    reading = react_engine("parse", "--json", CALL).data
    (call,) = reading["calls"]
    assert (call["name"], call["arguments"], call["span"]) == ("add", {"a": 1, "b": 2}, [16, 58])
    assert [(item["name"], item["span"], item["lossy"]) for item in call["tolerances"]] == [("quotes", [43, 44], False)]
    assert (reading["reasoning"], reading["answer"], reading["dialect"]) == ("I add.", None, "react")


@pytest.mark.parametrize(
    ("args", "stdin"),
    [((CALL,), ""), (("--file", "reply.txt"), ""), ((), CALL), (("-",), CALL), (("--file", "-"), CALL)],
    ids=["argument", "file", "stdin", "dash", "file-dash"],
)
def test_the_reply_comes_from_an_argument_a_file_or_stdin(args: tuple[str, ...], stdin: str) -> None:
    done = react_engine("parse", *args, stdin=stdin)
    assert (done.code, done.err) == (0, "")
    assert 'call 1: add {"a": 1, "b": 2}' in done.out


@pytest.mark.parametrize(
    "args",
    [
        ("--tools", "tools.py"),
        ("--tools", "tools.py:add"),
        ("--tools-json", "tools.json"),
        ("--toolbox", "calculator,clock"),
    ],
)
def test_tools_decide_what_is_a_call(args: tuple[str, ...]) -> None:
    text = '{"name": "multiply", "arguments": {"a": 1}}'
    done = react_engine("parse", *args, text)
    assert done.code == 0
    assert "calls 'multiply', which is no tool here: on offer are " in done.out


@pytest.mark.parametrize("wrap", [lambda tool: {"type": "function", "function": tool}, lambda tool: tool])
@pytest.mark.parametrize("whole", [lambda tools: tools, lambda tools: {"tools": tools}, lambda tools: tools[0]])
def test_tools_in_json_may_have_any_usual_wrapping(wrap: object, whole: object, folder: Path) -> None:
    definitions = whole([wrap(DEFINITION)])  # type: ignore[operator]
    (folder / "tools.json").write_text(json.dumps(definitions), encoding="utf-8")
    reading = react_engine(
        "parse", "--json", "--tools-json", "tools.json", 'Action: add\nAction Input: {"a": "1"}'
    ).data
    assert reading["calls"][0]["arguments"] == {"a": 1}


@pytest.mark.parametrize(
    ("text", "code"), [("Final Answer: 3", 0), ("Hello", 0), ("Thought: hm", 12), ("", 12), ("<think>", 12)]
)
def test_the_exit_code_says_whether_anything_was_read(text: str, code: int) -> None:
    assert react_engine("parse", text).code == code


def test_a_reply_that_was_cut_is_not_completed() -> None:
    text = 'Action: add\nAction Input: {"a": 1, "b": 2'
    assert react_engine("parse", text).code == 0
    assert react_engine("parse", "--finish-reason", "length", text).code == exit_codes.UNREADABLE


@pytest.mark.parametrize("name", ["auto", "react", "hermes", "llama3"])
def test_a_dialect_may_be_named(name: str) -> None:
    assert react_engine("parse", "--dialect", name, "Final Answer: 3").code == 0


def test_an_unknown_dialect_is_refused_with_the_nearest() -> None:
    done = react_engine("parse", "--dialect", "hermez", "x")
    assert (done.code, done.err) == (
        exit_codes.CONFIGURATION,
        "Error: There is no dialect named 'hermez'. Did you mean hermes?\n",
    )


def test_what_tools_print_while_they_load_is_not_in_the_reading(folder: Path) -> None:
    (folder / "tools.py").write_text(TOOLS + "\nprint('loading')\n", encoding="utf-8")
    done = react_engine("parse", "--json", "--tools", "tools.py", CALL)
    assert done.data["calls"][0]["name"] == "add"
    assert done.err == "loading\n"


def test_json_holds_no_control_characters_and_nothing_that_json_has_no_word_for() -> None:
    done = react_engine("parse", "--json", "Action: add\nAction Input: {'a': float('nan'), 'b': '\x9b\x7f\u202e'}")
    assert not set("\x9b\x7f\u202e") & set(done.out)
    json.loads(done.out, parse_constant=lambda name: pytest.fail(name))


def test_bytes_that_are_no_text_are_replaced_and_the_user_is_told() -> None:
    done = react_engine("parse", "--json", stdin=b"Final Answer: Z\xfcrich")
    assert done.data["answer"] == "Z\ufffdrich"
    assert done.err == "Note: standard input is not all UTF-8; \ufffd stands for what is not.\n"
    assert react_engine("parse", "--json", stdin="Final Answer: Zürich \ufffd").err == ""


def test_a_huge_reply_is_read_and_shown_in_short() -> None:
    done = react_engine("parse", stdin="word " * 400_000)
    assert done.code == 0
    assert len(done.out) < 10_000
