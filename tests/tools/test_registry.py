"""The registry of tools."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from react_engine.errors import ConfigurationError, UnknownTool
from react_engine.tools.function import tool, tool_from_schema
from react_engine.tools.options import ToolOptions
from react_engine.tools.registry import DuplicateToolWarning, Registry
from react_engine.tools.tool import Tool, ToolParameter


@tool(category="math", tags=["pure"])
def add(a: int, b: int) -> int:
    return a + b


@tool(category="files", tags=["disk", "read"])
def read_file(path: str) -> str:
    return path


@tool(category="files", tags=["disk"], side_effects=True)
def write_file(path: str, text: str) -> str:
    return path + text


def named(name: str, result: str = "") -> Tool:
    return tool_from_schema(name, "", {}, lambda **_: result)


def test_tools_stand_in_the_order_of_their_registration() -> None:
    registry = Registry([write_file, add])
    registry.add(read_file)
    assert registry.names == ("write_file", "add", "read_file")
    assert list(registry) == [write_file, add, read_file]
    assert (len(registry), "add" in registry, "sub" in registry) == (3, True, False)
    assert repr(registry) == "<Registry write_file, add, read_file>"


def test_every_way_in_gives_a_tool() -> None:
    registry = Registry()

    @registry.tool
    def plain(x: int) -> int:
        return x

    @registry.tool(name="renamed", tags=["t"])
    async def other(x: int) -> int:
        return x

    def written_by_hand(x: int) -> int:
        """From a function."""
        return x

    registry.add(written_by_hand)
    registry.register_tool(add)
    assert registry.names == ("plain", "renamed", "written_by_hand", "add")
    assert registry.get("renamed").options.tags == {"t"}
    assert registry.get("written_by_hand").description == "From a function."
    assert plain(3) == 3


def test_a_function_of_one_text_needs_no_types() -> None:
    registry = Registry()

    def search(query):  # type: ignore[no-untyped-def]
        return f"found {query}"

    made = registry.register_function("search", "Search the web.", search, cache_ttl=60)
    assert registry.get("search") is made
    assert made.schema["properties"] == {"query": {"type": "string"}}
    assert (made.description, made.options.cache_ttl) == ("Search the web.", 60)
    assert made.run({"query": "x"}) == "found x"


def test_a_function_with_types_keeps_them() -> None:
    made = Registry().register_function("f", "", lambda: 3)
    assert made.schema["properties"] == {}

    def two(a: int, b: str = "") -> None:
        pass

    assert list(Registry().register_function("two", "", two).schema["properties"]) == ["a", "b"]


def test_a_name_stands_once_and_the_error_names_both() -> None:
    registry = Registry([add])

    @tool(name="add")
    def another(a: int) -> int:
        return a

    with pytest.raises(ConfigurationError) as caught:
        registry.add(another)
    message = str(caught.value)
    assert "'add' is registered already" in message
    assert "test_registry.add (" in message
    assert "another (" in message
    assert registry.get("add") is add


def test_replacing_keeps_the_place() -> None:
    registry = Registry([named("a", "old"), named("b")], on_duplicate="replace")
    registry.add(named("a", "new"))
    assert registry.names == ("a", "b")
    assert registry.get("a").run({}) == "new"


def test_replacing_can_warn() -> None:
    registry = Registry([named("a")], on_duplicate="warn")
    with pytest.warns(DuplicateToolWarning, match="Tool 'a' from .* is replaced by"):
        registry.add(named("a", "new"))
    assert registry.get("a").run({}) == "new"


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="one of error, replace, warn"):
        Registry(on_duplicate="ignore")  # type: ignore[arg-type]


def test_an_unknown_name_lists_close_ones() -> None:
    registry = Registry([read_file, write_file])
    with pytest.raises(UnknownTool, match="Did you mean read_file"):
        registry.get("reed_file")


def test_a_tool_can_be_removed() -> None:
    registry = Registry([add, read_file])
    assert registry.remove("add") is add
    assert registry.names == ("read_file",)
    with pytest.raises(UnknownTool):
        registry.remove("add")


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ({}, ("add", "read_file", "write_file")),
        ({"names": ["read_file"]}, ("read_file",)),
        ({"names": "add"}, ("add",)),
        ({"categories": ["files"]}, ("read_file", "write_file")),
        ({"tags": ["read", "pure"]}, ("add", "read_file")),
        ({"names": ["add"], "categories": ["files"], "exclude": ["write_file"]}, ("add", "read_file")),
        ({"exclude": ["add"]}, ("read_file", "write_file")),
        ({"names": []}, ()),
    ],
)
def test_the_smallest_set_can_be_selected(asked: dict[str, Any], names: tuple[str, ...]) -> None:
    registry = Registry([add, read_file, write_file])
    assert registry.select(**asked).names == names
    assert len(registry) == 3


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"names": ["read_fil"]}, r"No tool is named 'read_fil'. Did you mean read_file"),
        ({"categories": ["file"]}, r"No tool has the category 'file'. Did you mean files\?"),
        ({"tags": ["zzz"]}, r"No tool has the tag 'zzz'. There are: disk, pure, read."),
        ({"exclude": ["nothing"]}, "No tool is named 'nothing'"),
    ],
)
def test_selecting_what_does_not_exist_is_an_error(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Registry([add, read_file, write_file]).select(**asked)


def test_categories_list_their_tools() -> None:
    registry = Registry([write_file, add, read_file])
    assert registry.categories() == {"files": ["write_file", "read_file"], "math": ["add"]}


class Broken(Tool):
    def run(self, parameters: dict[str, Any]) -> str:
        return ""

    def get_parameters(self) -> list[ToolParameter]:
        return [ToolParameter("x", "text")]


@pytest.mark.parametrize(
    ("candidate", "message"),
    [
        (Broken("broken", ""), "broken at properties/x/type"),
        (Broken, "make an instance of it"),
        ("add", "pass a Tool or a function"),
    ],
)
def test_what_is_no_usable_tool_is_refused(candidate: Any, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Registry([candidate])


def test_readers_see_the_tools_before_or_after_a_change() -> None:
    registry = Registry([named("kept"), named("swapped")], on_duplicate="replace")
    seen: set[tuple[str, ...]] = set()
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            seen.add(tuple(tool.name for tool in registry))
            registry.get("swapped")

    reader = threading.Thread(target=read)
    reader.start()
    replacement = named("swapped")
    for _ in range(2000):
        registry.add(replacement)
    stop.set()
    reader.join()
    assert seen <= {("kept", "swapped")}
    assert registry.get("kept").options == ToolOptions()
