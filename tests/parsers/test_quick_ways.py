"""What is read in one look is read like the long way reads it."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from react_engine.parsers import literals, objects
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.literals import read_call_arguments
from react_engine.parsers.lookahead import Container
from react_engine.parsers.scanner import Scanner, Value

PIECES = (
    "a", "bc", "=", " = ", '"', "'", '"x"', "'y z'", "1", "-20", "007", "True", "None", ",", ", ", ")", ")]", "]", "\n", "\\", "[",
    "{", "“", "f(", 'b="', "a=1", " ", ".", "<", "`", "3.5", '""',
)  # fmt: skip
KEYS = (
    "name", "tool_name", "action", "arguments", "parameters", "action_input", "id", "call_id", "type", "thought", "properties",
    "description",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    "add",
    "Add",
    "other",
    "",
    " ",
    "c1",
    {},
    {"a": 1},
    {"properties": {}},
    [],
    None,
    3,
    [{"name": "add"}],
)
TOOLS = ToolIndex([{"name": "add", "parameters": {"properties": {"a": {"type": "number"}, "id": {"type": "string"}}}}])


def scanned(text: str) -> Value:
    """Call arguments as the tolerant scanner reads them."""
    scanner = Scanner(text, len(text), closed=False)
    scanner.strict = literals._read_strict
    scanner.stack.append(Container(")", 0, call=True))
    return scanner.run(0)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@settings(max_examples=800, deadline=None)
def test_any_call_arguments_are_read_as_the_scanner_reads_them(text: str) -> None:
    assert read_call_arguments(text, 0, len(text), closed=False) == scanned(text)


def test_plain_call_arguments_need_one_look() -> None:
    text = "city=\"Oslo\", days=2, exact=True, unit='c')"
    assert literals._plain_keywords(text, 0, len(text)) == scanned(text)


@given(st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), max_size=4))
@settings(max_examples=800, deadline=None)
def test_a_plain_call_object_means_what_the_long_way_finds(written: dict[str, Any]) -> None:
    plain = objects.plain_call(written, TOOLS)
    assert plain is None or [plain] == list(objects._of_object(written, TOOLS))
