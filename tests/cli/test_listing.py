"""``models``, ``tools``, ``init`` and ``completion``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from react_engine.cli import exit_codes
from react_engine.settings import Settings
from tests.cli.driving import TOOLS, react_engine

SETTINGS = '[models."mine/*"]\nfunction_calling = true\ndialect = "hermes"\n[models.plain]\nfunction_calling = false\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with tools and settings."""
    (tmp_path / "tools.py").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "mine.toml").write_text(SETTINGS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_models_are_listed_one_a_line() -> None:
    done = react_engine("models", "list", "--config", "mine.toml")
    head, *lines = done.out.splitlines()
    assert head.split() == ["NAME", "PATH", "DIALECT", "KIND", "NOTE"]
    assert lines[0].split()[:4] == ["mine/*", "native", "hermes", "config"]
    assert lines[1].split()[:4] == ["plain", "prompt", "-", "config"]
    assert {line.split()[0] for line in lines[2:]} >= {"local/qwen2.5-coder-1.5b", "local/smollm2-135m"}
    assert (done.code, done.err) == (0, "")


def test_all_models_are_the_whole_table_and_json_says_the_same() -> None:
    short = react_engine("models", "list", "--json").data
    whole = react_engine("models", "list", "--all", "--json").data
    assert {item["kind"] for item in short} == {"local"}
    assert {item["kind"] for item in whole} == {"local", "family", "server"}
    assert len(react_engine("models", "list", "--all").out.splitlines()) == len(whole) + 1


def test_a_model_is_shown_with_who_decided_each_field() -> None:
    done = react_engine("models", "show", "--config", "mine.toml", "mine/x")
    lines = {line.split()[0]: line for line in done.out.splitlines()}
    assert lines["mine/x:"] == "mine/x: native path"
    assert "true" in lines["function_calling"]
    assert "mine.toml" in lines["function_calling"]
    assert lines["parallel_calls"].split()[-1] == "default"
    data = react_engine("models", "show", "--config", "mine.toml", "mine/x", "--json").data
    assert data["dialect"]["value"] == "hermes"
    assert set(data) == set(lines) - {"mine/x:"}


def test_a_model_that_cannot_be_fetched_is_explained() -> None:
    done = react_engine("models", "pull", "nope")
    assert (done.code, done.out) == (exit_codes.CONFIGURATION, "")
    assert "There is no local model 'nope'. Known are: " in done.err


def test_tools_are_listed_with_what_asks_first() -> None:
    done = react_engine("tools", "list", "--tools", "tools.py", "--toolbox", "clock")
    assert done.code == 0
    assert "add: Add two numbers.\npay (asks first): Pay an amount.\n" in done.out


def test_no_tools_are_said_to_be_none() -> None:
    done = react_engine("tools", "list")
    assert (done.code, done.out) == (0, "")
    assert "--toolbox and --tools name some" in done.err


def test_toolboxes_are_listed() -> None:
    done = react_engine("tools", "list", "--available")
    assert [line.partition(":")[0] for line in done.out.splitlines()] == ["calculator", "clock", "files"]


def test_a_toolbox_named_twice_is_taken_once() -> None:
    assert react_engine("tools", "list", "--toolbox", "clock, clock,").code == 0


def test_a_tool_is_shown_with_its_parameters_and_how_it_may_run() -> None:
    done = react_engine("tools", "show", "--tools", "tools.py", "pay")
    lines = done.out.splitlines()
    assert lines[:2] == ["pay: Pay an amount.", "  amount: integer (required)"]
    assert {"  [confirm] yes", "  [allow_lossy] no", "  [retries] 0", "  [timeout] 30.0"} <= set(lines)


@pytest.mark.parametrize(
    ("shape", "place"),
    [("openai", ("function", "parameters")), ("responses", ("parameters",)), ("anthropic", ("input_schema",))],
)
def test_schemas_come_in_the_shapes_of_providers(shape: str, place: tuple[str, ...]) -> None:
    shown = react_engine("tools", "schema", "--tools", "tools.py", "--format", shape, "add").data
    schema: Any = shown[0]
    for key in place:
        schema = schema[key]
    assert [len(shown), sorted(schema["properties"])] == [1, ["a", "b"]]


def test_a_strict_schema_is_closed() -> None:
    shown = react_engine("tools", "schema", "--tools", "tools.py", "--strict", "add").data
    assert shown[0]["function"]["strict"] is True
    assert shown[0]["function"]["parameters"]["additionalProperties"] is False


def test_the_prompt_s_own_description_of_tools_is_shown() -> None:
    done = react_engine("tools", "schema", "--tools", "tools.py", "--format", "prompt")
    assert "add" in done.out
    assert "Add two numbers." in done.out


def test_init_writes_settings_that_are_valid_and_set_nothing(folder: Path) -> None:
    done = react_engine("init")
    assert (done.code, done.out, done.err) == (0, "", "Wrote react-engine.toml.\n")
    assert Settings.load(folder / "react-engine.toml", environ={}) == Settings()
    again = react_engine("init")
    assert (again.code, again.err) == (
        exit_codes.CONFIGURATION,
        "Error: react-engine.toml is already there; --force overwrites it.\n",
    )
    assert react_engine("init", "--force").code == 0


def test_init_prints_where_that_is_asked_for(folder: Path) -> None:
    done = react_engine("init", "-")
    assert tomllib.loads(done.out) == {"limits": {}, "requests": {}, "templates": {}, "tools": {}, "sampling": {}}
    assert not (folder / "react-engine.toml").exists()


@pytest.mark.parametrize(
    ("path", "says"), [("nowhere/x.toml", "cannot be written: No such file"), (".", "is already there")]
)
def test_init_where_it_cannot_write_is_explained(path: str, says: str) -> None:
    done = react_engine("init", path)
    assert (done.code, says in done.err) == (exit_codes.CONFIGURATION, True)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_name_the_command(shell: str) -> None:
    done = react_engine("completion", shell)
    assert done.code == 0
    assert "_REACT_ENGINE_COMPLETE" in done.out


def completed(*words: str, folder: Path) -> list[str]:
    """What a shell is offered behind ``words``."""
    variables = {
        "_REACT_ENGINE_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "react_engine"],
        cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("pa",), ["parse"]),
        (("run", "--pa"), ["--path"]),
        (("run", "--path", ""), ["auto", "native", "prompt"]),
        (("run", "--dialect", "herm"), ["hermes"]),
        (("run", "--model", "local/smol"), ["local/smollm2-135m"]),
        (("run", "--toolbox", "c"), ["calculator", "clock"]),
        (("parse", "--dialect", "her"), ["hermes"]),
        (("models", "show", "pl"), ["plain"]),
    ],
)
def test_shells_are_offered_what_fits(words: tuple[str, ...], offered: list[str], folder: Path) -> None:
    (folder / "react-engine.toml").write_text(SETTINGS, encoding="utf-8")
    assert completed("react-engine", *words, folder=folder) == offered


def test_broken_settings_offer_nothing_and_say_nothing(folder: Path) -> None:
    (folder / "react-engine.toml").write_text("broken", encoding="utf-8")
    assert completed("react-engine", "models", "show", "pl", folder=folder) == []


def test_control_characters_of_settings_and_tools_reach_no_terminal(folder: Path) -> None:
    (folder / "mine.toml").write_text('[models."a\\u001b[31m"]\ndialect = "hermes"\n', encoding="utf-8")
    (folder / "tools.py").write_text(TOOLS.replace("Add two", "Add \\x1b[31m two"), encoding="utf-8")
    for args in (
        ("models", "list", "--config", "mine.toml"),
        ("models", "show", "--config", "mine.toml", "a\x1b[31m"),
        ("tools", "list", "--tools", "tools.py"),
        ("tools", "show", "--tools", "tools.py", "add"),
        ("tools", "schema", "--tools", "tools.py"),
    ):
        done = react_engine(*args)
        assert (done.code, "\x1b" in done.out + done.err) == (0, False)


def test_the_version_is_printed() -> None:
    from react_engine import __version__

    assert react_engine("--version").out.split()[-1] == __version__


def test_the_words_of_json_lists_are_stable() -> None:
    listed = react_engine("models", "list", "--json").data[0]
    assert list(listed) == ["name", "kind", "function_calling", "dialect", "size", "here", "note"]
    assert json.dumps(listed)
