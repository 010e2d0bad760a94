"""Tools out of the user's files and modules."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from react_engine.errors import ConfigurationError
from react_engine.tools.loading import load_tools

HEAD = """
from __future__ import annotations
from react_engine.tools.function import tool, tool_from_schema
from react_engine.tools.registry import Registry
from react_engine.tools.tool import Tool, ToolParameter
"""
PLAIN = f"""{HEAD}
from dataclasses import dataclass

@dataclass
class Point:
    x: int

@tool
def zebra(at: Point) -> int:
    return at.x

@tool
def ant() -> str:
    return "ant"

alias = zebra
_hidden = tool(lambda: 1, name="hidden")

def undecorated(text: str) -> str:
    return text

class Rolled(Tool):
    def __init__(self):
        super().__init__("rolled", "")
    def run(self, parameters): return "4"
    def get_parameters(self): return []

class Needy(Rolled):
    def __init__(self, sides):
        super().__init__()

registry = Registry([tool_from_schema("late", "", {{}}, lambda: 1)])
mixed = [ant, undecorated, registry, Rolled]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with the import state put back afterwards."""
    monkeypatch.chdir(tmp_path)
    path, modules = list(sys.path), set(sys.modules)
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def names(spec: str) -> list[str]:
    return [tool.name for tool in load_tools(spec)]


def test_a_file_gives_its_tools_in_order_of_definition(folder: Path) -> None:
    (folder / "plain.py").write_text(PLAIN)
    assert names("plain.py") == ["zebra", "ant", "late"]
    assert names(str(folder / "plain.py")) == ["zebra", "ant", "late"]
    (zebra, *_) = load_tools("plain.py")
    assert zebra.run({"at": {"x": 3}}) == 3


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("plain.py:ant", ["ant"]),
        ("plain.py:undecorated", ["undecorated"]),
        ("plain.py:registry", ["late"]),
        ("plain.py:mixed", ["ant", "undecorated", "late", "rolled"]),
        ("plain.py:Rolled", ["rolled"]),
        ("my_tools:ant", ["ant"]),
        ("my_tools", ["zebra", "ant", "late"]),
        ("package.inner:registry", ["late"]),
        ("package:inner.ant", ["ant"]),
    ],
)
def test_objects_and_modules_are_found(folder: Path, spec: str, expected: list[str]) -> None:
    (folder / "plain.py").write_text(PLAIN)
    (folder / "my_tools.py").write_text(PLAIN)
    (folder / "package").mkdir()
    (folder / "package" / "__init__.py").write_text("from package import inner")
    (folder / "package" / "inner.py").write_text(PLAIN)
    assert names(spec) == expected


def test_a_list_named_tools_or_all_decides(folder: Path) -> None:
    (folder / "listed.py").write_text(PLAIN + "\ntools = [ant, undecorated]\n")
    assert names("listed.py") == ["ant", "undecorated"]
    (folder / "exported.py").write_text(PLAIN + "\n__all__ = ['Point', 'ant', 'zebra']\n")
    assert names("exported.py") == ["ant", "zebra"]


def test_a_file_may_import_its_neighbour(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "neighbour_of_tools.py").write_text("WORD = 'hello'")
    (folder / "sub" / "t.py").write_text(
        HEAD + "from neighbour_of_tools import WORD\n@tool\ndef say() -> str:\n    return WORD"
    )
    assert load_tools("sub/t.py")[0].run({}) == "hello"


def test_a_changed_file_loads_again(folder: Path) -> None:
    (folder / "t.py").write_text(HEAD + "@tool\ndef one() -> int:\n    return 1")
    assert names("t.py") == ["one"]
    (folder / "t.py").write_text(HEAD + "@tool\ndef two() -> int:\n    return 2  # longer")
    assert names("t.py") == ["two"]


@pytest.mark.parametrize(
    ("content", "spec", "message"),
    [
        ("", "missing.py", r"no file 'missing.py'"),
        ("x = 1", "t.py", "No tool is in 't.py'. Decorate functions with @tool"),
        ("tools = []", "t.py", "No tool is in"),
        ("def f(:\n  pass", "t.py", r"syntax error in .*t\.py, line 1"),
        ("x = 1\n\nraise KeyError('k')", "t.py", r"failed to load in .*t\.py, line 3: KeyError: 'k'"),
        ("import not_there_at_all", "t.py", r"line 1: ModuleNotFoundError: No module named 'not_there_at_all'"),
        ("raise SystemExit(0)", "t.py", "SystemExit"),
        ("x = 1", "", "'' names no tools. Write module:object"),
        ("x = 1", "..", "names no tools"),
        ("x = 1", "a\0b", "names no tools"),
        ("x = 1", "a\0b.py", "no file"),
        ("x = 1", "no_such_module:x", "no module 'no_such_module'"),
        ("x = 1", "t", "No tool is in 't'"),
        ("import not_there_at_all", "t", "failed to load in .*t.py, line 1: ModuleNotFoundError"),
        ("ant = 1", "t.py:amt", r"no 'amt' in .*Did you mean ant\?"),
        ("ant = 1", "t.py:ant", "1 in 't.py:ant' is no tool"),
        (PLAIN, "t.py:Needy", "Needy .* cannot be made without arguments"),
        (PLAIN, "t.py:Point", "is no tool"),
        (HEAD + "@tool\ndef f(*names): pass", "t.py", r"failed to load in .*t\.py, line 6: .*takes \*names"),
    ],
)
def test_what_cannot_be_loaded_is_explained(folder: Path, content: str, spec: str, message: str) -> None:
    (folder / "t.py").write_text(content)
    with pytest.raises(ConfigurationError, match=message):
        load_tools(spec)


def test_a_module_is_told_from_a_file(folder: Path) -> None:
    (folder / "later.py").write_text("import sys\nsys.modules.pop('later', None)\nraise ImportError('x')")
    with pytest.raises(ConfigurationError, match="ImportError: x"):
        load_tools("later")
    (folder / "deep").mkdir()
    with pytest.raises(ConfigurationError, match=r"no module 'deep\.nothing'"):
        load_tools("deep.nothing:x")
