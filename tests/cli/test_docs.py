"""``docs/cli.md`` is true: its help texts are current and its examples print what they are said to print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.driving import TOOLS, house, react_engine
from tests.cli.help_texts import PAGE, commands, help_text, shown

TEXT = PAGE.read_text(encoding="utf-8")
EXAMPLES = [
    (block.group(1), block.group(2))
    for block in re.finditer(r"```console\n\$ react-engine (.+?)\n(.*?)```", TEXT, re.DOTALL)
]
CALL = 'Thought: I calculate.\nAction: calculator\nAction Input: {"expression": "37 * 412"}'


def test_every_help_text_is_on_the_page_as_it_is_now() -> None:
    current = {name: help_text(name, command) for name, command in commands()}
    assert shown(TEXT) == current, "python -m tests.cli.help_texts writes them anew"


@pytest.mark.parametrize(("arguments", "printed"), EXAMPLES, ids=[arguments for arguments, _ in EXAMPLES])
def test_every_example_prints_what_the_page_says(
    arguments: str, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with house(tmp_path, CALL, "Thought: I know.\nFinal Answer: 37 * 412 = 15244"):
        (tmp_path / "my_tools.py").write_text(TOOLS, encoding="utf-8")
        (tmp_path / "reply.txt").write_text("Let me think.\nAction: add\nAction Input: {'a': 1, 'b': 2", "utf-8")
        done = react_engine(*shlex.split(arguments))
    assert done.out == printed


def test_each_help_text_stands_in_the_section_of_its_command() -> None:
    section = ""
    for line in TEXT.splitlines():
        section = line.removeprefix("## ") if line.startswith("## ") else section
        if (found := re.match(r"<!-- help: react-engine (\w+)", line)) is not None:
            assert found[1] == section


def test_the_page_has_examples() -> None:
    assert {arguments.split()[0] for arguments, _ in EXAMPLES} == {"run", "parse", "tools"}
