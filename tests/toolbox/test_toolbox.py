"""The registry of toolboxes."""

from __future__ import annotations

from pathlib import Path

import pytest

from react_engine import toolbox
from react_engine.errors import ConfigurationError


def test_every_toolbox_has_a_description() -> None:
    described = toolbox.available()
    assert list(described) == ["calculator", "clock", "files"]
    assert all(text and "\n" not in text for text in described.values())


def test_several_are_made_from_one_text(tmp_path: Path) -> None:
    tools = toolbox.make_all(f"calculator, clock,files:{tmp_path}")
    assert [tool.name for tool in tools] == [
        "calculator",
        "current_time",
        "convert_time",
        "list_files",
        "read_file",
        "search_files",
    ]


def test_a_list_takes_folders_with_commas(tmp_path: Path) -> None:
    (tmp_path / "a,b").mkdir()
    assert len(toolbox.make_all([f"files:{tmp_path}/a,b:rw"])) == 4


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("calculater", "There is no toolbox named 'calculater'. Did you mean calculator?"),
        ("browser", "There is no toolbox named 'browser'. There are calculator, clock, files."),
        ("clock:Europe/Oslo", "The toolbox clock takes nothing behind a colon, found 'Europe/Oslo'."),
        ("files", "needs a folder"),
    ],
)
def test_what_cannot_be_made_is_a_configuration_error(spec: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        toolbox.make(spec)


def test_every_tool_describes_its_parameters(tmp_path: Path) -> None:
    for tool in toolbox.make_all(f"calculator,clock,files:{tmp_path}:rw"):
        assert tool.description.endswith(".")
        assert tool.schema["type"] == "object"
        assert all(parameter.description for parameter in tool.get_parameters())
