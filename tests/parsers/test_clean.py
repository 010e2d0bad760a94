"""The lanes for clean replies give what the long way gives, or leave the reply alone."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from react_engine.parsers.clean import Reply, read_clean
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.reader import _Reply
from react_engine.parsers.reasoning import MARKERS
from react_engine.types import Reading
from tests.parsers.case_files import load_cases
from tests.parsers.vectors import VECTORS, Vector

CASES = load_cases()
PIECES = (
    "Thought: ", "Action: ", "Action Input: ", "Observation: ", "Final Answer: ", "get_weather", "add", '{"city": "Oslo"}', "{}",
    '{"name": "get_weather", "arguments": {"city": "Oslo"}}', '{"name": "add", "arguments": {"a": 1, "b": 2}}', "[", "]", ", ",
    "<tool_call>", "</tool_call>", "[TOOL_CALLS]", "<think>", "</think>", "```json\n", "```", "<|im_end|>", "</s>", "\n", "\r\n",
    " ", "\ufeff", "\\n", "all\n", 'get_weather(city="Oslo")', "<function=add>", "<parameter=a>", "1", "</parameter>", "</function>",
    "The city is fine.", "<|python_tag|>", "✿FUNCTION✿: add\n✿ARGS✿: ", "need to use a tool? No\n", '"', "}", "<value>", "...",
)  # fmt: skip
TOOLS = ToolIndex(
    [
        {"name": "get_weather", "parameters": {"properties": {"city": {"type": "string"}}, "required": ["city"]}},
        {"name": "add", "parameters": {"properties": {"a": {"type": "number"}, "b": {"type": "number"}}}},
    ]
)


def both(text: str, index: ToolIndex, dialect: str = "") -> tuple[Reading | None, Reading]:
    """The reading of the lanes, None where they leave the reply alone, and that of the long way."""
    return read_clean(Reply(text, index, dialect)), _Reply(text, index, dialect, False, MARKERS, False).read()


def check(text: str, index: ToolIndex) -> bool:
    """Whether a lane took the reply; then it must have read it like the long way."""
    quick, slow = both(text, index)
    assert quick is None or quick == slow
    return quick is not None


def test_every_case_is_read_alike_or_left_alone() -> None:
    indexes: dict[tuple[str, ...], ToolIndex] = {}
    for case in CASES:
        index = indexes.setdefault(tuple(tool["name"] for tool in case.tools), ToolIndex(case.tools))
        check(case.text, index)


def test_most_trained_forms_with_one_plain_call_take_a_lane() -> None:
    plain = [vector for vector in VECTORS if vector.id.endswith(".single")]
    taken = [vector for vector in VECTORS if check(vector.text, ToolIndex(vector.tools)) and vector in plain]
    assert len(taken) > 0.8 * len(plain)


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@settings(max_examples=400, deadline=None)
def test_any_splice_of_pieces_is_read_alike_or_left_alone(text: str) -> None:
    check(text, TOOLS)


@st.composite
def damaged(draw: st.DrawFn) -> tuple[Vector, str]:
    """A trained form with a piece put in, a stretch left out or one written twice."""
    vector = draw(st.sampled_from(VECTORS))
    start = draw(st.integers(0, len(vector.text)))
    stop = min(len(vector.text), start + draw(st.integers(0, 12)))
    between: Any = draw(st.sampled_from(["", vector.text[start:stop] * 2, *PIECES]))
    return vector, vector.text[:start] + between + vector.text[stop:]


@given(damaged())
@settings(max_examples=600, deadline=None)
def test_damaged_forms_are_read_alike_or_left_alone(made: tuple[Vector, str]) -> None:
    vector, text = made
    check(text, ToolIndex(vector.tools))
