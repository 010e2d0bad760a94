"""Calls in a stream: begun with a name, argument text as written, complete, and never at odds with the whole reply."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.parsers.index import ToolIndex
from react_engine.parsers.json_stream import JsonStream
from react_engine.parsers.stream import ArgumentText, CallBegun, CallEvent, CallRead, Reader, Shown
from react_engine.types import Reading
from tests.parsers.case_files import Case, load_cases
from tests.parsers.test_cases import CASES, CLOSER, index_of

TOOLS = ToolIndex(
    [
        {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
        {"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}},
    ]
)
HERMES = (
    'I look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Os{lo"}}\n</tool_call>\n'
    '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>'
)
LIST = '[TOOL_CALLS][{"name": "add", "arguments": {"a": 1}}, {"name": "add", "arguments": {"a": 2}}]'
TAGS = (
    '<function_calls>\n<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>\n</invoke>\n'
    '<invoke name="add">\n<parameter name="a">3</parameter>\n</invoke>\n</function_calls>'
)
REACT = 'Thought: I look.\nAction: get_weather\nAction Input: {"city": "Oslo"}\nObservation: rain'


def streamed(
    text: str, size: int, tools: ToolIndex = TOOLS, finish: str | None = None
) -> tuple[list[Shown | CallEvent], Reading]:
    """The events of a reply that comes in pieces of ``size``, argument text joined, and its reading."""
    reader = Reader(tools)
    events: list[Shown | CallEvent] = []
    for start in range(0, len(text), size):
        for event in reader.feed(text[start : start + size]):
            last = events[-1] if events else None
            if isinstance(event, ArgumentText) and isinstance(last, ArgumentText) and event.index == last.index:
                events[-1] = ArgumentText(event.index, last.text + event.text)
            elif isinstance(event, Shown) and isinstance(last, Shown) and event.kind == last.kind:
                events[-1] = Shown(event.kind, last.text + event.text)
            else:
                events.append(event)
    return events, reader.close(finish)


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_json_calls_are_told_with_name_argument_text_and_end(size: int) -> None:
    events, reading = streamed(HERMES, size)
    assert [event if not isinstance(event, CallRead) else (event.index, event.call.arguments) for event in events] == [
        CallBegun(0, "get_weather"),
        ArgumentText(0, '{"city": "Os{lo"}'),
        (0, {"city": "Os{lo"}),
        CallBegun(1, "add"),
        ArgumentText(1, '{"a": 1}'),
        (1, {"a": 1}),
    ]
    assert [call.arguments for call in reading.calls] == [{"city": "Os{lo"}, {"a": 1}]


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_calls_of_a_list_are_told_one_by_one(size: int) -> None:
    events, _ = streamed(LIST, size)
    assert [event.call.arguments for event in events if isinstance(event, CallRead)] == [{"a": 1}, {"a": 2}]
    assert [event for event in events if isinstance(event, CallBegun)] == [CallBegun(0, "add"), CallBegun(1, "add")]


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_calls_in_tags_begin_with_their_name(size: int) -> None:
    events, reading = streamed(TAGS, size)
    assert [event for event in events if isinstance(event, CallBegun)] == [
        CallBegun(0, "get_weather"),
        CallBegun(1, "add"),
    ]
    texts = [event.text for event in events if isinstance(event, ArgumentText)]
    assert texts[0].strip() == '<parameter name="city">Oslo</parameter>'
    assert [call.arguments for call in reading.calls] == [{"city": "Oslo"}, {"a": 3}]


@pytest.mark.parametrize("size", [1, 6, 1000])
def test_a_labelled_step_ends_where_the_model_goes_on(size: int) -> None:
    events, _ = streamed(REACT, size)
    assert [type(event) for event in events] == [Shown, CallBegun, ArgumentText, CallRead]
    assert isinstance(events[2], ArgumentText)
    assert events[2].text.strip() == '{"city": "Oslo"}'


@pytest.mark.parametrize(
    "text",
    [
        'The form is `<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>`, as the manual says.',
        'Thought: it goes\n```\nAction: add\nAction Input: {"a": 1}\n```\nFinal Answer: done',
        '<think>\n<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>\n</think>\nNo call.',
        'Final Answer: 3\nAction: add\nAction Input: {"a": 1}\nObservation: 1',
    ],
)
def test_quotations_drafts_and_afterthoughts_begin_no_call(text: str) -> None:
    events, reading = streamed(text, 1)
    assert reading.calls == ()
    assert not [event for event in events if isinstance(event, CallBegun)]


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_was_told_early_is_what_is_read_in_the_end(case: Case, size: int) -> None:
    events, reading = streamed(case.text, size, index_of(case), case.finish_reason)
    if CLOSER.search(case.text):
        return  # it makes thought of all before it
    complete = [event.call for event in events if isinstance(event, CallRead)]
    assert [(call.name, call.arguments) for call in complete] == [
        (call.name, call.arguments) for call in reading.calls[: len(complete)]
    ]
    for number, event in enumerate(event for event in events if isinstance(event, CallBegun)):
        assert event.index == number
        if number < len(reading.calls):
            assert event.name == reading.calls[number].name
        else:
            assert reading.problems, "a call that was begun is read, or its problem is told"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), values, max_size=4), st.integers(1, 7), st.booleans())
def test_any_json_object_is_followed_to_its_end(value: dict[str, object], size: int, ascii_only: bool) -> None:
    written = json.dumps({"name": "f", "arguments": value}, ensure_ascii=ascii_only)
    stream = JsonStream(frozenset({"name"}), frozenset({"arguments"}))
    found = [item for start in range(0, len(written), size) for item in stream.feed(written[start : start + size])]
    assert (stream.complete, stream.broken) == (True, False)
    assert ("name", "f") in found
    assert json.loads("".join(text for kind, text in found if kind == "value")) == value


def test_cases_are_there() -> None:
    assert len(load_cases()) == len(CASES) > 500
