"""Native rendering: invariants by construction; native replies in all their real forms."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.models.base import RawCall, Reply
from react_engine.models.profile import ModelProfile
from react_engine.models.scripted import native_call
from react_engine.paths.base import Ask, Slipped
from react_engine.paths.native import NativePath
from react_engine.tools.function import tool, tool_from_schema
from react_engine.types import Message, Problem, Status, ToolCall, ToolResult, Usage
from tests.strategies import json_objects

NATIVE = ModelProfile("scripted", function_calling=True)


@tool
def lookup(city: str, days: int = 1) -> str:
    """Look up the weather of a city."""
    return f"{city} {days}"


@tool
def current_time() -> str:
    """Tell the time."""
    return "noon"


def path(**profile: Any) -> NativePath:
    return NativePath(replace(NATIVE, **profile), [lookup, current_time])


IDS = st.sampled_from(["", "a", "b", "call_1"]) | st.text(max_size=6)
CALLS = st.lists(st.builds(ToolCall, st.sampled_from(["lookup", "gone", "x.y"]), json_objects(), IDS), max_size=4).map(
    tuple
)
RESULTS = st.lists(
    st.builds(
        ToolResult, IDS, st.sampled_from(["lookup", "gone"]), st.sampled_from(list(Status)), st.text(max_size=20)
    ),
    max_size=4,
).map(tuple)
MESSAGES = st.one_of(
    st.builds(Message.user, st.text(max_size=20)),
    st.builds(Message.system, st.text(max_size=20)),
    st.builds(lambda text, calls: Message.assistant(text, calls=calls), st.text(max_size=20), CALLS),
    st.builds(Message.tool, RESULTS),
)


@given(st.lists(MESSAGES, max_size=8))
def test_any_transcript_keeps_the_three_invariants(transcript: list[Message]) -> None:
    """The assistant's calls are kept, each has one result with its id right behind it, contents are strings."""
    messages = path().messages(transcript)
    calls = [message["tool_calls"] for message in messages if "tool_calls" in message]
    assert [len(made) for made in calls] == [len(message.calls) for message in transcript if message.calls]
    open_ids: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] == open_ids.pop(0)
        else:
            assert not open_ids
            open_ids = [call["id"] for call in message.get("tool_calls", ())]
            assert len(set(open_ids)) == len(open_ids)
        assert isinstance(message["content"], str)
        for call in message.get("tool_calls", ()):
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
    assert not open_ids


def test_results_go_to_the_call_with_their_id() -> None:
    calls = (ToolCall("lookup", {"city": "Oslo"}, "a"), ToolCall("lookup", {"city": "Bonn"}, "b"))
    results = [ToolResult("b", "lookup", Status.SUCCESS, "rain"), ToolResult("a", "lookup", Status.SUCCESS, "sun")]
    messages = path().messages([Message.assistant(calls=calls), Message.tool(results)])
    assert [(message["tool_call_id"], message["content"]) for message in messages[1:]] == [("a", "sun"), ("b", "rain")]


def test_a_call_without_a_result_gets_one() -> None:
    messages = path().messages([Message.assistant(calls=[ToolCall("lookup", {}, "a")]), Message.user("and?")])
    assert [message["role"] for message in messages] == ["assistant", "tool", "user"]
    assert messages[1]["content"] == "This call was not run."


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.SUCCESS])
def test_no_failure_looks_like_a_success(status: Status) -> None:
    call = ToolCall("lookup", {}, "a")
    result = ToolResult("a", "lookup", status, "the database is gone", hint="Try later.")
    text = path().messages([Message.assistant(calls=[call]), Message.tool([result])])[1]["content"]
    assert text.startswith(("Error", "Not run"))
    assert "the database is gone" in text
    assert text.endswith("Try later.")


def test_names_that_servers_refuse_are_mapped_and_mapped_back() -> None:
    dotted = tool_from_schema("files.read", "Read.", {"type": "object", "properties": {}}, lambda: "")
    native = NativePath(NATIVE, [dotted])
    request = native.request(Ask((Message.user("?"),), tool_choice="files.read"))
    assert request.tools[0]["function"]["name"] == "files_read"
    assert request.tool_choice == {"type": "function", "function": {"name": "files_read"}}
    assert native.read(native_call("files_read")).reading.calls[0].name == "files.read"


def test_the_tools_of_a_request_are_the_same_every_time() -> None:
    native = path()
    asks = [native.request(Ask((Message.user(text),))) for text in ("a", "b")]
    assert json.dumps(asks[0].tools) == json.dumps(asks[1].tools)


def test_system_text_goes_where_the_template_takes_it() -> None:
    native = NativePath(replace(NATIVE, system_role="user"), [lookup], "Be brief.")
    assert native.request(Ask((Message.user("Hi"),))).messages == ({"role": "user", "content": "Be brief.\n\nHi"},)


def test_parallel_calls_are_forbidden_only_where_the_model_cannot() -> None:
    assert path().request(Ask((Message.user("?"),))).parallel_tool_calls is None
    assert path(parallel_calls=False).request(Ask((Message.user("?"),))).parallel_tool_calls is False


def test_a_slip_is_told_and_a_forced_answer_forbids_calls() -> None:
    slip = Slipped("{", (Problem("malformed-call", "The call could not be read.", "Write JSON."),))
    request = path().request(Ask((Message.user("?"),), (slip,), "The limit was reached."))
    assert [message["content"] for message in request.messages[1:]] == [
        "The call could not be read. Write JSON.",
        "The limit was reached.",
    ]
    assert request.tool_choice == "none"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"city": "Oslo", "days": 2}', {"city": "Oslo", "days": 2}),
        ('{"city": "Oslo", "days": "2"}', {"city": "Oslo", "days": 2}),
        ("{'city': 'Oslo'}", {"city": "Oslo"}),
        ('{"city": "Oslo",}', {"city": "Oslo"}),
        ('"{\\"city\\": \\"Oslo\\"}"', {"city": "Oslo"}),
        ('```json\n{"city": "Oslo"}\n```', {"city": "Oslo"}),
        ('{"arguments": {"city": "Oslo"}}', {"city": "Oslo"}),
        ('{"city": "O\nslo"}', {"city": "O\nslo"}),
    ],
)
def test_arguments_go_up_the_ladder(arguments: str, expected: dict[str, Any]) -> None:
    (call,) = path().read(Reply("", (RawCall("1", "lookup", arguments),))).reading.calls
    assert (call.arguments, call.problem, call.dialect) == (expected, None, "native")


@pytest.mark.parametrize("arguments", ["", "{}", "null", "None", " "])
def test_no_arguments_at_all_are_an_empty_object(arguments: str) -> None:
    (call,) = path().read(Reply("", (RawCall("1", "current_time", arguments),))).reading.calls
    assert (call.arguments, call.problem) == ({}, None)


@pytest.mark.parametrize("arguments", ['{"city" "Oslo"', '{"city": NaN}', "{" * 500, '{"city": "Os'])
def test_unreadable_arguments_keep_the_call_with_its_problem(arguments: str) -> None:
    read = path().read(Reply("", (RawCall("1", "lookup", arguments),)))
    (call,) = read.reading.calls
    assert call.id == "1"
    assert call.problem is not None
    assert read.garbled == 1


def test_missing_arguments_are_left_to_validation() -> None:
    (call,) = path().read(Reply("", (RawCall("1", "lookup", '{"days": 2}'),))).reading.calls
    assert (call.arguments, call.problem) == ({"days": 2}, None)


def test_unknown_names_are_kept_for_the_engine_to_report() -> None:
    (call,) = path().read(native_call("no_such_tool", q=1)).reading.calls
    assert (call.name, call.arguments) == ("no_such_tool", {"q": 1})


def test_prefixes_of_names_are_taken_off() -> None:
    (call,) = path().read(native_call("functions.lookup", city="Oslo")).reading.calls
    assert call.name == "lookup"


def test_text_beside_native_calls_is_kept_as_text() -> None:
    reply = replace(native_call("lookup", city="Oslo"), text="<think>Oslo.</think>I look it up.", reasoning="First.")
    reading = path().read(reply).reading
    assert (reading.text, reading.reasoning, reading.answer) == ("I look it up.", "First.\nOslo.", None)


@pytest.mark.parametrize("finish", ["stop", "tool_calls", None, "eos", "end_turn"])
def test_plain_text_is_the_answer_whatever_the_reason(finish: str | None) -> None:
    reading = path().read(Reply("It is sunny.\nAction: none needed.", finish_reason=finish)).reading
    assert (reading.calls, reading.answer) == ((), "It is sunny.\nAction: none needed.")


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"name": "lookup", "arguments": {"city": "Oslo"}}\n```',
        '{"name": "lookup", "arguments": {"city": "Oslo"}}',
        '<tool_call>\n{"name": "lookup", "arguments": {"city": "Oslo"}}\n</tool_call>',
        '<tools>{"name": "lookup", "arguments": {"city": "Oslo"}}</tools>',
        'Thought: I look.\nAction: lookup\nAction Input: {"city": "Oslo"}',
        'I will look.\n\n```json\n{"name": "lookup", "arguments": {"city": "Oslo"}}\n```',
        '[{"name": "lookup", "arguments": {"city": "Oslo"}}]',
        '{"tool_calls": [{"function": {"name": "lookup", "arguments": "{\\"city\\": \\"Oslo\\"}"}}]}',
    ],
)
def test_a_call_leaked_into_the_text_is_read(text: str) -> None:
    read = path().read(Reply(text, finish_reason="stop"))
    assert [(call.name, call.arguments) for call in read.reading.calls] == [("lookup", {"city": "Oslo"})]
    assert read.leaked


def test_a_broken_leaked_call_is_a_problem_and_no_answer() -> None:
    reading = path().read(Reply('<tool_call>{"name": "lookup", "arguments": {"days": 2}}</tool_call>')).reading
    assert (reading.calls, reading.answer) == ((), None)
    assert [problem.code for problem in reading.problems] == ["missing-argument"]


def test_an_empty_reply_is_a_problem() -> None:
    assert [problem.code for problem in path().read(Reply("  \n")).reading.problems] == ["empty"]


def test_a_prompt_too_short_for_the_tools_shows_that_they_were_dropped() -> None:
    many = [replace_name(lookup, f"tool_{n}") for n in range(6)]
    native = NativePath(NATIVE, many)
    assert native.read(Reply("No idea.", usage=Usage(prompt_tokens=25))).dropped
    assert not native.read(Reply("No idea.", usage=Usage(prompt_tokens=900))).dropped
    assert not native.read(Reply("No idea.")).dropped


def replace_name(original: Any, name: str) -> Any:
    return tool_from_schema(name, original.description, original.schema, lambda city, days=1: "")


@given(st.text(max_size=200), st.sampled_from(["stop", "length", None]))
def test_no_text_makes_reading_raise(text: str, finish: str | None) -> None:
    reading = path().read(Reply(text, finish_reason=finish)).reading
    assert reading.calls or reading.answer is not None or reading.problems
