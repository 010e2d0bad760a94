"""Mistakes of the user: each is answered with where it is, what was expected and what to do, never with a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from react_engine.cli import exit_codes
from tests.cli.driving import TOOLS, process, react_engine

USAGE = [
    (("frobnicate",), "No such command 'frobnicate'"),
    (("run", "--toolz", "x", "go"), "--tools"),
    (("run", "--path", "foo", "go"), "'auto', 'native', 'prompt'"),
    (("run", "--max-steps", "0", "go"), "0 is not in the range x>=1"),
    (("run", "--model", " ", "go"), "expected a text, found a blank one"),
    (("run", "--tools", "", "go"), "expected a text, found a blank one"),
    (("run", "--toolbox", ",,", "go"), "expected names such as calculator,clock, found ',,'"),
    (("parse", "x", "--file", "y"), "not both"),
    (("parse", "--file", "nowhere"), "'nowhere' cannot be read: No such file or directory"),
    (("parse", "--file", "."), "'.' cannot be read: Is a directory"),
    (("models", "show", ""), "expected a text"),
    (("tools", "show", "calc", "--toolbox", "calculator"), "There is no tool named 'calc'. Did you mean calculator?"),
    (("tools", "schema", "calc", "--toolbox", "calculator"), "Did you mean calculator?"),
    (("completion", "tcsh"), "'bash', 'zsh', 'fish'"),
]

CONFIGURATION = [
    (("--config", "nowhere.toml"), "There is no settings file 'nowhere.toml'. `react-engine init` writes one."),
    (("--config", "."), "There is no settings file '.'"),
    (("--dialect", "hermez"), "there is no dialect named 'hermez'. Did you mean hermes?"),
    (("--model", "local/qwen"), "There is no local model 'qwen'. Known are: "),
    (("--api-base", "http://127.0.0.1:1"), "Name the model that runs at http://127.0.0.1:1 with --model"),
    (("--model", "x", "--api-base", "ftp://h"), "no http address: 'ftp://h'"),
    (("--max-seconds", "nan"), "limits.seconds: expected a finite number, found nan"),
    (("--max-money", "-1"), "must be a positive number or None, got -1.0"),
    (("--temperature", "9"), "temperature: expected less than or equal to 5, found 9.0"),
    (("--toolbox", "calculater"), "There is no toolbox named 'calculater'. Did you mean calculator?"),
    (("--toolbox", "files:nowhere"), "'nowhere' cannot be used"),
    (("--tools", "nowhere.py"), "There is no file 'nowhere.py'"),
    (("--tools", "no.such.module"), "There is no module 'no'"),
    (("--tools", "tools.py:ad"), "There is no 'ad' in "),
    (("--tools", "syntax.py"), "have a syntax error in "),
    (("--tools", "raises.py"), "line 1: ZeroDivisionError: division by zero"),
    (("--tools", "exits.py"), "line 1: SystemExit: 3"),
    (("--tools", "empty.py"), "No tool is in 'empty.py'. Decorate functions with @tool"),
    (("--tools", "tools.py", "--tools", "tools.py:add"), "A tool named 'add' is registered already"),
]

FILES = {
    "tools.py": TOOLS,
    "syntax.py": "def broken(:\n",
    "raises.py": "1 / 0\n",
    "exits.py": "raise SystemExit(3)\n",
    "empty.py": "x = 1\n",
}

SETTINGS = [
    ('model = "x', "is no valid TOML: "),
    ("\x00", "is no valid TOML: "),
    ('modle = "x"', "line 1: there is no setting 'modle'. Did you mean model?"),
    ("model = 5", "line 1, model: expected a valid string, found 5"),
    ('model = " "', "line 1, model: The model has no name; write one such as"),
    ("[limits]\nsteps = 0", "line 2, limits.steps: "),
    ("[limit]\nsteps = 2", "line 1: there is no setting 'limit'. Did you mean limits?"),
    ("limits = 3", "line 1, limits: expected a table, found 3"),
    ('path = "promt"', "line 1, path: expected 'auto', 'native' or 'prompt', found 'promt'"),
    ('dialect = "hermez"', "line 1, dialect: there is no dialect named 'hermez'. Did you mean hermes?"),
    ('[models.x]\ndialect = "hermez"', "line 2, models.x.dialect: there is no dialect named 'hermez'"),
    ('[models.x]\napi_key = "abc"', "line 2, models.x.api_key: keys have no place in the settings."),
    ('[models.x]\nclient = "htttp"', "client: expected 'litellm', 'http' or 'local', found 'htttp'"),
    ('[templates]\nfolder = "nowhere"', "does not exist"),
    ('[tools]\nload = ["nowhere.py"]', "There is no file 'nowhere.py'"),
    ('[tools]\nconfirm = "maybe"', "line 2, tools.confirm: expected 'ask', 'allow' or 'deny', found 'maybe'"),
    ("[sampling]\ntemprature = 1", "Did you mean temperature?"),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with files of tools that are broken in their own ways."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("args", "says"), USAGE, ids=lambda value: " ".join(value) if isinstance(value, tuple) else "")
def test_wrong_usage_is_explained(args: tuple[str, ...], says: str) -> None:
    done = react_engine(*args)
    assert (done.code, done.out) == (exit_codes.USAGE, "")
    assert says in done.err


@pytest.mark.parametrize(
    ("args", "says"), CONFIGURATION, ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_what_cannot_be_used_is_explained(args: tuple[str, ...], says: str) -> None:
    done = react_engine("run", *args, "go")
    assert (done.code, done.out) == (exit_codes.CONFIGURATION, "")
    assert says in done.err
    assert done.err.startswith("Error: ")


@pytest.mark.parametrize(("text", "says"), SETTINGS, ids=[text for text, _ in SETTINGS])
def test_a_mistake_in_the_settings_file_is_explained_with_its_line(text: str, says: str, folder: Path) -> None:
    (folder / "wrong.toml").write_text(text, encoding="utf-8")
    done = react_engine("run", "--config", "wrong.toml", "go")
    assert (done.code, done.out) == (exit_codes.CONFIGURATION, "")
    assert says in done.err


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        (
            {"REACT_ENGINE_MODLE": "x"},
            "REACT_ENGINE_MODLE is no setting of react-engine. Did you mean REACT_ENGINE_MODEL?",
        ),
        ({"REACT_ENGINE_LIMITS__STEPS": "many"}, "REACT_ENGINE_LIMITS__STEPS, limits.steps: "),
        ({"REACT_ENGINE_DIALECT": "hermez"}, "REACT_ENGINE_DIALECT, dialect: there is no dialect named 'hermez'"),
        ({"REACT_ENGINE_CONFIG": "nowhere"}, "There is no settings file 'nowhere' named by REACT_ENGINE_CONFIG"),
    ],
)
def test_a_mistake_in_a_variable_is_explained(variables: dict[str, str], says: str) -> None:
    done = react_engine("run", "go", env=variables)
    assert (done.code, done.out) == (exit_codes.CONFIGURATION, "")
    assert says in done.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[", "tools.json, line 1, column 2: no valid JSON"),
        ("5", "expected a list of tool definitions, found int"),
        ('{"tools": 5}', "expected a list of tool definitions, found int"),
        ("[1]", "A tool needs a name and parameters"),
        ('[{"name": 5}]', "A tool needs a name and parameters"),
        ("[" * 100_000, "cannot be read as JSON"),
    ],
    ids=["cut", "number", "no-list", "no-object", "no-name", "deep"],
)
def test_tools_in_json_that_are_none_are_explained(text: str, says: str, folder: Path) -> None:
    (folder / "tools.json").write_text(text, encoding="utf-8")
    done = react_engine("parse", "--tools-json", "tools.json", "x")
    assert (done.code, done.out) == (exit_codes.CONFIGURATION, "")
    assert says in done.err


def test_a_folder_that_is_gone_is_explained(folder: Path) -> None:
    (folder / "tools.py").write_text("import os\nos.rmdir(os.getcwd())\n", encoding="utf-8")
    gone = folder / "gone"
    gone.mkdir()
    code = f"import os, sys; os.rmdir({str(gone)!r}); sys.argv[1:] = ['run', 'go']; from react_engine.cli import main; main()"
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-c", code], cwd=gone, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (exit_codes.CONFIGURATION, "")
    assert done.stderr == "Error: The current folder does not exist any more: change to one that does.\n"


def test_help_is_printed_whatever_the_settings_are(folder: Path) -> None:
    (folder / "react-engine.toml").write_text("broken", encoding="utf-8")
    assert react_engine("--help", env={"REACT_ENGINE_CONFIG": "nowhere"}).code == 0
    assert process("run", "--help", folder=folder).code == 0
