"""What a client may ask for, and how it is told that it may not."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.errors import ConfigurationError
from react_engine.provider.messages import read_messages
from react_engine.provider.request import read_request
from react_engine.types import Message, Status, ToolCall, ToolResult
from tests.provider.driving import ADD, ASKED, TOOLS


def call(name: str, arguments: str, call_id: str = "c1") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_a_conversation_becomes_a_transcript() -> None:
    read = read_messages(
        [
            {"role": "developer", "content": [{"type": "text", "text": "Be kind."}]},
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "Hi"},
            {
                "role": "assistant",
                "content": "Look:",
                "tool_calls": [call("add", '{"a": 1}', "x"), call("add", "", "y")],
            },
            {"role": "tool", "tool_call_id": "y", "content": "0"},
            {"role": "tool", "tool_call_id": "x", "content": [{"type": "text", "text": "1"}]},
            {"role": "assistant", "content": "Done.", "reasoning_content": "Hm."},
        ]
    )
    assert read.instructions == "Be kind.\n\nBe short."
    assert read.transcript == (
        Message.user("Hi"),
        Message.assistant("Look:", calls=(ToolCall("add", {"a": 1}, "x"), ToolCall("add", {}, "y"))),
        Message.tool([ToolResult("y", "add", Status.SUCCESS, "0"), ToolResult("x", "add", Status.SUCCESS, "1")]),
        Message.assistant("Done.", thought="Hm."),
    )


def test_two_calls_with_one_id_are_answered_in_their_order() -> None:
    read = read_messages(
        [
            *ASKED,
            {"role": "assistant", "tool_calls": [call("add", '{"a": 1}'), call("get_weather", "{}")]},
            {"role": "tool", "tool_call_id": "c1", "content": "one"},
            {"role": "tool", "tool_call_id": "c1", "content": "two"},
        ]
    )
    assert [(result.name, result.text) for result in read.transcript[-1].results] == [
        ("add", "one"),
        ("get_weather", "two"),
    ]


def test_an_image_that_a_tool_gave_follows_as_the_users() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    read = read_messages(
        [
            *ASKED,
            {"role": "assistant", "tool_calls": [call("add", "{}", "x"), call("add", "{}", "y")]},
            {"role": "tool", "tool_call_id": "x", "content": [{"type": "text", "text": "see"}, image]},
            {"role": "tool", "tool_call_id": "y", "content": "1"},
        ]
    )
    assert [message.role for message in read.transcript] == ["user", "assistant", "tool", "user"]
    assert [result.text for result in read.transcript[2].results] == ["see", "1"]
    assert read.transcript[3].parts == (image,)


ANSWERED = [*ASKED, {"role": "assistant", "tool_calls": [call("add", "{}")]}]
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "1"}


@pytest.mark.parametrize(
    ("messages", "place"),
    [
        ([], "messages: expected a list"),
        ("hi", "messages: expected a list"),
        (["hi"], r"messages\[0\]: expected an object"),
        ([{"role": "king", "content": "hi"}], r"messages\[0\]\.role"),
        ([{"role": "user", "content": 7}], r"messages\[0\]\.content"),
        ([*ASKED, RESULT], r"messages\[1\]: a result must answer a call"),
        ([*ANSWERED, {**RESULT, "tool_call_id": "c2"}], r"messages\[2\]: a result must answer a call"),
        ([*ANSWERED, RESULT, RESULT], r"messages\[3\]: a result must answer a call"),
        ([*ANSWERED, *ASKED, RESULT], r"messages\[3\]: a result must answer a call"),
        ([{"role": "assistant", "tool_calls": 3}], r"messages\[0\]\.tool_calls"),
        ([{"role": "assistant", "tool_calls": [{}]}], r"messages\[0\]\.tool_calls\[0\]"),
        ([{"role": "assistant", "tool_calls": [call("add", "{")]}], r"tool_calls\[0\]\.function\.arguments"),
        ([{"role": "assistant", "tool_calls": [call("add", "[1]")]}], r"tool_calls\[0\]\.function\.arguments"),
    ],
)
def test_messages_that_cannot_be_meant_are_refused_with_their_place(messages: Any, place: str) -> None:
    with pytest.raises(ConfigurationError, match=place):
        read_messages(messages)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"n": 2}, "n: one choice"),
        ({"functions": [{}]}, "functions: not supported. Use tools"),
        ({"logprobs": True}, "logprobs: not supported"),
        ({"tools": "all"}, "tools: expected a list"),
        ({"tools": [{"type": "web_search"}]}, r"tools\[0\]: expected"),
        ({"tools": [ADD, ADD]}, r"tools\[1\]\.function\.name: 'add' is the name of another"),
        ({"tools": [{"type": "function", "function": {"name": ""}}]}, r"tools\[0\]\.function\.name"),
        ({"tools": [{"type": "function", "function": {"name": "x" * 200}}]}, r"tools\[0\]\.function\.name"),
        ({"tools": [{"type": "function", "function": {"name": "a\nb"}}]}, r"tools\[0\]"),
        ({"tools": [{"type": "function", "function": {"name": "a", "parameters": {"type": "string"}}}]}, r"tools\[0\]"),
        ({"tools": [{"type": "function", "function": {"name": "a", "parameters": {"properties": 5}}}]}, r"tools\[0\]"),
        ({"tools": [{"type": "function", "function": {"name": "a", "parameters": []}}]}, r"tools\[0\]"),
        ({"tools": [ADD] * 3000}, "at most 2000"),
        ({"tools": TOOLS, "tool_choice": "maybe"}, "tool_choice: expected"),
        ({"tools": TOOLS, "tool_choice": {"type": "function", "function": {"name": "fly"}}}, "no tool named 'fly'"),
        ({"tool_choice": "required"}, "needs tools"),
        ({"stop": 5}, "stop: expected"),
        ({"stop": [5]}, "stop: expected"),
        ({"temperature": "hot"}, "temperature: expected a number"),
        ({"max_tokens": 0}, "max_tokens: expected at least 1"),
        ({"response_format": "json"}, "response_format: expected"),
        ({"response_format": {"type": "json_schema"}}, "response_format: expected"),
        ({"response_format": {"type": "json_schema", "json_schema": {"schema": {"type": 5}}}}, "response_format"),
    ],
)
def test_what_cannot_be_honoured_is_refused_by_name(parameters: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        read_request(ASKED, parameters)


def test_what_nobody_knows_is_left_out_and_nothing_leads_elsewhere() -> None:
    given = {"api_base": "http://evil", "api_key": "k", "base_url": "http://evil", "metadata": {}, "foo": 1, "seed": 3}
    assert dict(read_request(ASKED, {**given, "extra_body": {"api_base": "http://evil", "top_k": 5}}).sampling) == {
        "seed": 3,
        "top_k": 5,
    }


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (None, "auto"),
        ("auto", "auto"),
        ("none", "none"),
        ("required", "required"),
        ("any", "required"),
        ({"type": "auto"}, "auto"),
        ({"type": "function", "function": {"name": "add"}}, "add"),
        ({"type": "function", "name": "add"}, "add"),
    ],
)
def test_a_choice_of_tools_comes_in_many_dresses(given: Any, meant: str) -> None:
    assert read_request(ASKED, {"tools": TOOLS, "tool_choice": given}).choice == meant


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
FIELDS = st.dictionaries(
    st.sampled_from(
        ["tools", "tool_choice", "response_format", "stop", "n", "temperature", "extra_body", "logit_bias"]
    ),
    JSON,
)
MESSAGES = st.lists(
    st.dictionaries(
        st.sampled_from(["role", "content", "tool_calls", "tool_call_id", "function_call", "reasoning_content"]),
        JSON | st.sampled_from(["user", "assistant", "tool", "system"]),
    ),
    max_size=4,
)


@given(MESSAGES, FIELDS)
def test_whatever_comes_is_read_or_refused(messages: list[Any], parameters: dict[str, Any]) -> None:
    with suppress(ConfigurationError):
        read_request(messages, parameters)


@given(st.dictionaries(st.sampled_from(["type", "properties", "items", "required", "$ref", "enum", "anyOf"]), JSON))
def test_whatever_schema_a_tool_has_is_used_or_refused(schema: dict[str, Any]) -> None:
    tools = [{"type": "function", "function": {"name": "t", "parameters": schema}}]
    with suppress(ConfigurationError):
        read_request(ASKED, {"tools": tools})
