"""``explain``: what was read, where, and why there is no call; for any text, on any terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine import Problem, Reading, Span, Tolerance, ToolCall, explain, read
from react_engine.parsers.explain import Mark, marks, rows, summary
from react_engine.parsers.visible import columns, printable, visible

TOOLS = [
    {
        "name": "add",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        },
    },
    {"name": "search", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}},
]
CALL = 'Action: add\nAction Input: {"a": 1, "b": 2}'


def explained(text: str, **options: object) -> str:
    return explain(text, read(text, TOOLS), TOOLS, **options)  # type: ignore[arg-type]


def test_places_stand_below_their_lines_and_the_reading_below_the_text() -> None:
    text = "Thought: I add.\nAction: add\nAction Input: {'a': 1, 'b': 2,}\nObservation: 3"
    assert explained(text).splitlines() == [
        "   1 | Thought: I add.",
        "   2 | Action: add",
        "     | ~~~~~~~~~~~ call 1: add (to 3:32)",
        "   3 | Action Input: {'a': 1, 'b': 2,}",
        "     |                ~ quotes",
        "     |                              ~ trailing-comma",
        "   4 | Observation: 3",
        "     | ~~~~~~~~~~~~~~ invented by the model, dropped",
        "",
        'call 1: add {"a": 1, "b": 2}',
        "    tolerated: quotes at 3:16 (lossless)",
        "    tolerated: trailing-comma at 3:30 (lossless)",
        "reasoning: I add.",
        "invented: 14 characters from 4:1 on, dropped",
    ]


WHY = {
    "": "the reply is empty",
    " \n": "the reply is empty",
    "<|im_end|>": "nothing but white space and control tokens",
    "Hello!": "the text is the answer",
    "Thought: x\nFinal Answer: 3": "the reply gives its answer, behind 'Final Answer' at 2:1",
    "Thought: I should": "what was begun cannot be used: There is neither an action nor a final answer.",
    'Action: add\nAction Input: {"a": 1}': "what was begun cannot be used: add requires b; given: a.",
    "<think>Let me": "what was begun cannot be used: The reasoning never ends",
}
NEAR = {
    f"<think>\n{CALL}\n</think>\nDone.": "near: the reasoning holds a call of add",
    f"Final Answer: 3\n{CALL}": "near: behind the answer, at 2:1, stands a call of add",
    f"Thought: x\nObservation: 5\n{CALL}": "near: behind the observation that the model made up, at 2:1, stands a call",
    f"So:\n~~~\n{CALL}\n~~~\nThat is how.": "near: the code block at 2:1 holds a call of add",
    '{"name": "multiply", "arguments": {"a": 1}}': "near: the object at 1:1 calls 'multiply', which is no tool here: on",
    'I use {"name": "add", "arguments": {"a": 1, "b": 2}} now.': "near: the object at 1:7 would be a call of add",
    "I would call add with 1 and 2.": "near: add is named at 1:14, but not in the form of a call",
    "Use <call_tool add 1 2> for that.": "near: '<call_tool add 1 2>' at 1:5 looks like call markup",
}


@pytest.mark.parametrize(("text", "reason"), WHY.items(), ids=[repr(text) for text in WHY])
def test_that_there_is_no_call_has_its_reason(text: str, reason: str) -> None:
    assert reason in explained(text).rpartition("no call: ")[2]


@pytest.mark.parametrize(("text", "near"), NEAR.items(), ids=[repr(text) for text in NEAR])
def test_what_comes_near_to_a_call_is_named(text: str, near: str) -> None:
    assert not read(text, TOOLS).calls
    assert near in explained(text)


def test_without_tools_an_object_is_said_to_name_none() -> None:
    text = '{"name": "add", "arguments": {"a": 1}}'
    assert "calls 'add', which is no tool here: no tools are on offer" in explain(text, read(text))


def test_marks_stand_below_wide_and_joined_characters() -> None:
    text = "北e\u0301\tx"
    shown = list(rows(text, [Mark("call", Span(4, 5), "x"), Mark("problem", Span(0, 1), "wide")], 40))
    assert [row.text for row in shown] == ["北e\u0301    x", "~~ wide", "       ~ x"]
    assert shown[0].styles == ((0, 1, "problem"), (7, 8, "call"))


def test_a_mark_over_several_lines_says_where_it_ends() -> None:
    first, below, *rest = rows("ab\ncd\nef", [Mark("call", Span(1, 7), "call")], 40)
    assert (below.text, first.styles) == (" ~ call (to 3:1)", ((1, 2, "call"),))
    assert [row.styles for row in rest] == [((0, 2, "call"),), ((0, 1, "call"),)]


def test_long_lines_are_folded_and_numbered_once() -> None:
    shown = list(rows("a" * 25 + "\nb", [Mark("lossy", Span(12, 14), "here")], 10))
    assert [(row.number, row.text) for row in shown] == [
        (1, "a" * 10), (None, "a" * 10), (None, "  ~~ here"), (None, "a" * 5), (2, "b"),
    ]  # fmt: skip


def test_long_stretches_without_marks_are_left_out() -> None:
    text = "line\n" * 5000
    shown = list(rows(text, [Mark("call", Span(12_500, 12_504), "call")], 40))
    assert [row.number for row in shown if row.number] == [1, 2, 2500, 2501, 2502, 5000, 5001]
    assert [row.text for row in shown if "…" in row.text] == ["… 12486 characters …", "… 12486 characters …"]


def test_many_marks_in_a_row_are_counted() -> None:
    many = [Mark("tolerance", Span(n, n + 1), f"kind {n % 20}") for n in range(60)]
    *_, last = rows("x" * 60, many, 80)
    assert last.text == "… and 8 more marks"


def test_a_hundred_thousand_marks_and_a_long_line_are_no_burden() -> None:
    text = "ab" * 100_000
    many = [Mark("tolerance", Span(n, n + 1), "same") for n in range(0, 200_000, 2)]
    assert sum(1 for _ in rows(text, many, 100)) == 4000


def test_control_characters_become_signs_of_the_same_length() -> None:
    hostile = "a\x00\x1b[31m\x7f\x9b\r\n\t\u202e\u2028\ud800é北"
    assert visible(hostile) == "a␀␛[31m␡\ufffd␍\n\t\ufffd␤\ufffdé北"
    assert len(visible(hostile)) == len(hostile)
    assert printable("a\r\nb\rc") == "a\nb␍c"


def test_long_values_are_shortened_in_the_summary() -> None:
    text = "x" * 5000
    assert next(summary(text, Reading(answer=text))) == f"answer: {'x' * 2000}… (5000 characters)"


def test_arguments_that_json_cannot_say_are_no_failure() -> None:
    nested: list[object] = []
    for _ in range(5000):
        nested = [nested]
    reading = Reading(calls=(ToolCall("add", {"a": nested}), ToolCall("add", {"a": 10**5000})))
    assert list(summary("", reading)) == [
        "call 1: add with arguments too large to show: a",
        "call 2: add with arguments too large to show: a",
    ]


def test_a_native_call_with_a_problem_says_so() -> None:
    call = ToolCall("add", {}, problem=Problem("malformed", "It could not be read.", "Write JSON."))
    assert list(summary("", Reading(calls=(call,)))) == [
        "call 1: add {}",
        "    problem (malformed): It could not be read. Write JSON.",
    ]


TEXTS = st.text() | st.lists(
    st.sampled_from(
        ["Action: add\n", "Action Input: ", '{"a": 1}', "```", "\n", "<think>", "</think>", "Observation:", "北", "\t"]
    )
).map("".join)
SPANS = st.builds(Span, st.integers(-5, 60), st.integers(-5, 60))
TOLERANCES = st.builds(Tolerance, st.text(max_size=8), SPANS, st.booleans())
CALLS = st.builds(
    ToolCall, st.text(max_size=8), st.dictionaries(st.text(), st.floats() | st.text()), span=st.none() | SPANS,
    tolerances=st.tuples(TOLERANCES),
)  # fmt: skip
READINGS = st.builds(
    Reading,
    calls=st.lists(CALLS, max_size=3).map(tuple),
    answer=st.none() | st.text(),
    reasoning=st.none() | st.text(),
    problems=st.lists(st.builds(Problem, st.text(), st.text(), st.text(), st.none() | SPANS), max_size=3).map(tuple),
    tolerances=st.lists(TOLERANCES, max_size=3).map(tuple),
    invented=st.none() | SPANS,
)


@given(TEXTS)
def test_what_is_read_is_explained_with_a_call_or_the_reason_for_none(text: str) -> None:
    lines = explained(text).splitlines()
    assert any(line.startswith("call 1: ") for line in lines) is not any(line.startswith("no call: ") for line in lines)


@given(TEXTS, READINGS, st.integers(1, 120))
def test_no_text_and_no_reading_breaks_it(text: str, reading: Reading, width: int) -> None:
    shown = explain(text, reading, TOOLS, width=width)
    assert all(char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cs") for char in shown)


@given(TEXTS, st.integers(8, 60))
def test_rows_hold_the_whole_text_within_the_width(text: str, width: int) -> None:
    shown = list(rows(text, [], width))
    assert "".join(row.text for row in shown) == visible(text).replace("\n", "").replace("\t", "    ")
    assert all(sum(map(columns, row.text)) <= width for row in shown)
    assert [row.number for row in shown if row.number] == list(range(1, text.count("\n") + 2))


@given(TEXTS, READINGS)
def test_styles_lie_in_their_rows(text: str, reading: Reading) -> None:
    for row in rows(text, marks(reading), 20):
        assert all(0 <= start < end <= len(row.text) for start, end, _ in row.styles)
