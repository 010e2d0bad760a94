"""``dialects``, and the dialects of the user's own on every command."""

from __future__ import annotations

from pathlib import Path

import pytest

from react_engine.cli import exit_codes
from tests.cli.driving import house, react_engine

SETTINGS = """
[dialects.mine]
like = "hermes"
openers = ["<do>"]
closers = ["</do>"]
[dialects.mine.writing]
call = '<do>{"name": $quoted, "arguments": $arguments}</do>'
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder, with settings."""
    (tmp_path / "react-engine.toml").write_text(SETTINGS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def test_dialects_are_listed_with_those_of_the_settings() -> None:
    head, *lines = react_engine("dialects", "list").out.splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines}
    assert head.split() == ["NAME", "FRAME", "ARGUMENTS", "PROMPT", "CALLS", "BY"]
    assert rows["mine"] == ["marked", "json", "yes", "several", "you"]
    assert rows["harmony"] == ["messages", "json", "no", "several", "shipped"]
    assert rows["fields"] == ["fields", "-", "no", "several", "shipped"]
    data = react_engine("dialects", "list", "--json").data
    assert {row["name"] for row in data} == set(rows)


def test_a_dialect_is_shown_with_an_example_and_its_stop_words() -> None:
    done = react_engine("dialects", "show", "mine")
    assert done.out.splitlines()[0] == "mine: prompts ask for it"
    assert '\ncall:\n  <do>{"name": "dragon_lookup", "arguments": {"dragon": "Smok"}}</do>\n' in done.out
    assert done.out.endswith("\nstop words:\n  '<tool_response>'\n  '<|im_end|>'\n")
    data = react_engine("dialects", "show", "mine", "--json").data
    assert (data["openers"], data["stop_words"]) == (["<do>"], ["<tool_response>", "<|im_end|>"])


@pytest.mark.parametrize("name", ["tool_tag", "harmony", "gpt-oss"])
def test_a_dialect_that_no_prompt_asks_for_says_so(name: str) -> None:
    assert "read, but no prompt asks for it" in react_engine("dialects", "show", name).out


def test_an_unknown_dialect_is_told_with_the_near_ones() -> None:
    done = react_engine("dialects", "show", "hermez")
    assert (done.code, done.out) == (exit_codes.CONFIGURATION, "")
    assert "There is no dialect named 'hermez'. Did you mean hermes" in done.err


@pytest.mark.parametrize("options", [[], ["--dialect", "mine"]])
def test_a_reply_in_a_dialect_of_the_settings_is_read(options: list[str]) -> None:
    done = react_engine("parse", *options, '<do>{"name": "add", "arguments": {"a": 1}}</do>')
    assert done.out.endswith('call 1: add {"a": 1}\n')


def test_a_mistake_in_a_dialect_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "react-engine.toml").write_text('[dialects.mine]\nlike = "hermes"\nopenrs = []', encoding="utf-8")
    done = react_engine("parse", "x")
    assert done.code == exit_codes.CONFIGURATION
    assert "line 3, dialects.mine.openrs: there is no setting 'openrs'. Did you mean openers?" in done.err


def test_a_run_asks_for_the_dialect_that_is_named(tmp_path: Path) -> None:
    reply = '<do>{"name": "calculator", "arguments": {"expression": "1+1"}}</do>'
    with house(tmp_path, reply, "It is 2.", settings=SETTINGS) as place:
        done = place.run("1+1?", "--toolbox", "calculator", "--dialect", "mine")
    assert done.out == "It is 2.\n"
    asked, told = (body["messages"] for body in place.server.bodies)
    assert '<do>{"name": "dragon_lookup", "arguments": {"dragon": "Smok"}}</do>' in asked[0]["content"]
    assert told[-1]["content"] == "<tool_response>\n2\n</tool_response>"
