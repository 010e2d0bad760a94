"""``docs/dialects.md`` is true: its table is current, and what it adds as an example works as it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from react_engine.cli import exit_codes
from react_engine.dialect_tables import load_dialects
from react_engine.models.table import table_for
from react_engine.paths.base import Ask
from react_engine.paths.prompt import PromptPath
from react_engine.settings import Settings
from react_engine.templates import Templates
from react_engine.types import Message
from tests.cli.driving import react_engine
from tests.driving import TOOLS
from tests.templates.dialect_table import PAGE, renewed

TEXT = PAGE.read_text(encoding="utf-8")
FILES = {match[1]: match[0] for match in re.finditer(r"# (\S+\.toml)\n(?:.|\n)*?(?=```)", TEXT)}
(CODE,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
CONSOLE = [
    (match[1], match[2]) for match in re.finditer(r"```console\n\$ react-engine (parse .+?)\n(.*?)```", TEXT, re.DOTALL)
]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder holds the files of the page."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")


def test_the_table_is_current() -> None:
    assert renewed(TEXT) == TEXT, "python -m tests.templates.dialect_table writes it anew"


def test_the_page_has_its_files() -> None:
    assert set(FILES) == {"my_dialects.toml", "react-engine.toml"}
    assert [dialect.name for dialect in load_dialects("my_dialects.toml")] == ["acme", "acme2"]


def test_the_code_runs_as_it_stands() -> None:
    names: dict[str, Any] = {}
    exec(compile(CODE, "docs/dialects.md", "exec"), names)
    assert names["reading"].calls[0].dialect == "acme"


@pytest.mark.parametrize(("arguments", "printed"), CONSOLE, ids=[arguments for arguments, _ in CONSOLE])
def test_the_command_prints_what_the_page_says(arguments: str, printed: str) -> None:
    done = react_engine(*shlex.split(arguments))
    assert (done.out, done.code) == (printed, exit_codes.OK)


def test_the_settings_of_the_page_ask_a_model_for_its_dialect() -> None:
    settings = Settings.load()
    settings.teach_dialects()
    profile = table_for(settings).profile("ollama/acme-7b")
    messages = PromptPath(profile, TOOLS, Templates()).request(Ask((Message.user("Add."),))).messages
    assert '<acme:do tool="dragon_lookup"><acme:dragon>Smok</acme:dragon></acme:do>' in messages[0]["content"]
