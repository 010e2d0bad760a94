"""The three strictnesses, and what each of them takes and refuses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.errors import ConfigurationError
from react_engine.parsers.reader import read
from react_engine.parsers.stream import Reader

TOOLS = [{"name": "find", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}}]
CLEAN = '<tool_call>\n{"name": "find", "arguments": {"q": "x"}}\n</tool_call>'
LOOSE = "<tool_call>\n{'name': 'find', 'arguments': {'q': 'x'}}\n</tool_call>"
BROKEN = '<tool_call>{"name": "find", "arguments": {"q": "x",, : 4}}</tool_call>'


def test_strict_takes_the_trained_form_only() -> None:
    assert [call.arguments for call in read(CLEAN, TOOLS, strictness="strict").calls] == [{"q": "x"}]
    refused = read(LOOSE, TOOLS, strictness="strict")
    assert refused.calls == ()
    assert [problem.code for problem in refused.problems] == ["not-strict"]
    assert "quotes" in refused.problems[0].message


def test_strict_refuses_another_dialect_than_the_one_that_was_asked_for() -> None:
    assert read(CLEAN, TOOLS, "hermes", "strict").calls
    other = read(CLEAN, TOOLS, "react", "strict")
    assert (other.calls, other.problems[0].code) == ((), "not-strict")
    assert "hermes" in other.problems[0].message


def test_tolerant_is_the_default() -> None:
    assert read(LOOSE, TOOLS) == read(LOOSE, TOOLS, "auto", "tolerant")
    assert read(LOOSE, TOOLS).calls


def test_lenient_guesses_what_cannot_be_read_and_says_so() -> None:
    assert read(BROKEN, TOOLS).calls == ()
    (call,) = read(BROKEN, TOOLS, strictness="lenient").calls
    assert (call.name, call.arguments["q"]) == ("find", "x")
    assert ("json-repair", True) in [(tolerance.name, tolerance.lossy) for tolerance in call.tolerances]


def test_a_reply_that_was_cut_is_never_completed_by_guessing() -> None:
    assert read(BROKEN, TOOLS, strictness="lenient", finish_reason="length").calls == ()


def test_an_unknown_strictness_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="strict, tolerant, lenient"):
        read(CLEAN, TOOLS, strictness="stern")
    with pytest.raises(ConfigurationError, match="strict, tolerant, lenient"):
        Reader(TOOLS, strictness="stern")


@pytest.mark.parametrize("strictness", ["strict", "lenient"])
@given(st.text(alphabet='{}[]":,\\ \nacfindqx<>/_tool', max_size=200), st.integers(1, 9))
def test_any_strictness_reads_anything_streamed_or_whole(strictness: str, text: str, size: int) -> None:
    text = "<tool_call>" + text
    reader = Reader(TOOLS, strictness=strictness)
    for start in range(0, len(text), size):
        reader.feed(text[start : start + size])
    assert reader.close() == read(text, TOOLS, strictness=strictness)
