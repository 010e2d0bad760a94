"""The lanes for clean replies give what the long way gives, or leave the reply alone."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from react_engine.parsers.clean import Reply, read_answer, read_clean
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.near_json import read_near_json
from react_engine.parsers.reader import _Reply
from react_engine.parsers.reasoning import MARKERS
from react_engine.parsers.scanner import Scanner
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
    quick = read_answer(text, dialect) or read_clean(Reply(text, index, dialect))
    return quick, _Reply(text, index, dialect, False, MARKERS, False).read()


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


def label(word: str) -> st.SearchStrategy[str]:
    """A label as models write it."""
    return st.sampled_from(
        [f"{word}: ", f"**{word}:** ", f"**{word}**: ", f"{word}:", f"**{word}:**", f"{word.lower()}: "]
    )


WORDS = st.lists(
    st.sampled_from(
        ["I look it up.", "For example:", "1. first", "Yes, now?", "Final Answer: 3", "Action: add", "functools", "x_y=2", "all\n",
         "add(a=1)", "assistant\n", "analysisI", "    x", "\n\n", "Thought: again", "“q”", "\t", "to=x", "need to use a tool? Yes"]
    ),
    max_size=3,
).map(" ".join)  # fmt: skip
NAMES = st.sampled_from(
    ["add", "`add`", '"add"', "Get Weather", "`Get Weather`", "get weather tool", "the add tool", "Final Answer", "None",
     "functions.add", "ad", "add and get_weather", "should be one of", "`add` "]
)  # fmt: skip
VALUES = st.sampled_from(
    ["'Oslo'", '"Oslo"', "2", "'2'", "True", "null", "-0", "1.5", "007", '"it\'s"', "'x, y'", '"}"', "'{'", '"..."', '"<city>"',
     "{}", "{'a': 1}", '"a [b]"', "''", "'''x'''", "“x”", '"x" y', "2 # two"]
)  # fmt: skip
KEYS = st.sampled_from(["'city'", '"city"', '"a"', "'b'", "'City'", "'x'", "city", "'arguments'"])


@st.composite
def objects(draw: st.DrawFn) -> str:
    """An object that is nearly JSON, or not quite."""
    members = draw(st.lists(st.tuples(KEYS, st.sampled_from([": ", ":", " :"]), VALUES).map("".join), max_size=3))
    closer = draw(st.sampled_from(["}", ",}", ", }", "\n}", "", "}}", ",\n}"]))
    return "{" + draw(st.sampled_from(["", "\n "])) + draw(st.sampled_from([", ", ",\n", " "])).join(members) + closer


@st.composite
def usual_steps(draw: st.DrawFn) -> str:
    """A labelled step with a few habits."""
    lead = draw(st.one_of(st.just(""), WORDS, st.tuples(label("Thought"), WORDS).map("".join)))
    fence = draw(
        st.sampled_from([("", ""), ("", ""), ("```json\n", "\n```"), ("```\n", "```"), ("``` ", "\n```"), ("\n", "")])
    )
    behind = draw(
        st.sampled_from(["", "", "\n", "\nObservation:", "\nObservation: 3", "\nObservation: 3\nThought: x", " ok", "\nEnd Action",
                         "\nObs", "\nAction: add\nAction Input: {}", "\n**Observation:** 3", " Observation: 3", "\nThat is it."])
    )  # fmt: skip
    step = draw(label("Action")) + draw(NAMES) + "\n" + draw(label("Action Input"))
    gap = draw(st.sampled_from(["\n", "\n\n"])) if lead else ""
    return lead + gap + step + fence[0] + draw(objects()) + fence[1] + behind


@given(usual_steps())
@settings(max_examples=800, deadline=None)
def test_steps_with_habits_are_read_alike_or_left_alone(text: str) -> None:
    check(text, TOOLS)


def test_the_habits_of_most_models_take_a_lane() -> None:
    for text in (
        "I look it up.\n\nAction: add\nAction Input: {'a': 1,}",
        "**Thought:** I look\n**Action:** `Get Weather`\n**Action Input:** ```json\n{'city': 'Oslo',}\n```\nObservation: 3",
        'Thought: I look\nAction: add\nAction Input: ```\n{"a": 1}\n```\n',
        "Thought: I know.\nFinal Answer: It rains.",
    ):
        assert check(text, TOOLS), text


@given(WORDS, WORDS, st.sampled_from(["\n", "\n\n", " ", ""]))
@settings(max_examples=300, deadline=None)
def test_plain_answers_are_read_alike_or_left_alone(thought: str, answer: str, gap: str) -> None:
    check(f"Thought: {thought}{gap}Final Answer: {answer}", TOOLS)


@given(objects(), st.sampled_from(["", "\n", "\n```", " x", "</tool_call>", ' is "good"', "\n\nHello"]), st.booleans())
@settings(max_examples=800, deadline=None)
def test_an_object_that_is_nearly_json_is_read_like_the_scanner_reads_it(text: str, behind: str, closed: bool) -> None:
    text += behind
    quick = read_near_json(text, 0, len(text), closed)
    assert quick is None or quick == Scanner(text, len(text), closed).read(0)
