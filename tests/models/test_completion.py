"""Replies as servers really send them, and the request that goes out."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.models.base import CallDelta, Chunk, ModelRequest, RawCall, Reply
from react_engine.models.completion import chunk_of, reply_of, request_parameters, usage_of
from react_engine.models.profile import ModelProfile
from react_engine.types import Usage

NAMES = (
    *("choices", "message", "delta", "content", "text", "refusal", "reasoning", "thinking", "type", "index"),
    *("tool_calls", "function", "function_call", "custom", "name", "arguments", "id", "finish_reason"),
    *("usage", "prompt_tokens", "total_tokens", "prompt_tokens_details", "error", "detail", "code"),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=20,
)


def message(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": {"role": "assistant", **fields}, "finish_reason": "stop"}]}


def call(arguments: Any = "{}", identity: Any = "c1", name: Any = "f") -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


CONTENTS: dict[str, tuple[dict[str, Any], str, str | None]] = {
    "text": ({"content": "Hi"}, "Hi", None),
    "null": ({"content": None}, "", None),
    "missing": ({}, "", None),
    "a list of parts": ({"content": [{"type": "text", "text": "H"}, {"type": "text", "text": "i"}]}, "Hi", None),
    "output_text parts": ({"content": [{"type": "output_text", "text": "Hi"}]}, "Hi", None),
    "a list of strings": ({"content": ["H", "i"]}, "Hi", None),
    "one part": ({"content": {"type": "text", "text": "Hi"}}, "Hi", None),
    "a part without text": ({"content": [{"type": "image_url", "image_url": {"url": "x"}}, "Hi"]}, "Hi", None),
    "a number": ({"content": 7}, "", None),
    "a refusal": ({"content": None, "refusal": "No."}, "No.", None),
    "reasoning_content": ({"content": "Hi", "reasoning_content": "Hm"}, "Hi", "Hm"),
    "reasoning": ({"content": "Hi", "reasoning": "Hm"}, "Hi", "Hm"),
    "thinking": ({"content": "Hi", "thinking": "Hm"}, "Hi", "Hm"),
    "both names": ({"content": "Hi", "reasoning_content": "Hm", "reasoning": "Hm"}, "Hi", "Hm"),
    "empty reasoning": ({"content": "Hi", "reasoning_content": "", "reasoning": None}, "Hi", None),
    "a thinking part": (
        {"content": [{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "Hi"}]},
        "Hi",
        "Hm",
    ),
    "a thinking list": (
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}, {"text": "Hi"}]},
        "Hi",
        "Hm",
    ),
}


@pytest.mark.parametrize("case", CONTENTS)
def test_content_is_read_in_all_its_forms(case: str) -> None:
    fields, text, reasoning = CONTENTS[case]
    assert reply_of(message(**fields)) == Reply(text, reasoning=reasoning, finish_reason="stop")


CALLS: dict[str, tuple[dict[str, Any], tuple[RawCall, ...]]] = {
    "one": ({"tool_calls": [call('{"a": 1}')]}, (RawCall("c1", "f", '{"a": 1}'),)),
    "null": ({"tool_calls": None}, ()),
    "empty": ({"tool_calls": []}, ()),
    "arguments as an object": ({"tool_calls": [call({"a": "é"})]}, (RawCall("c1", "f", '{"a": "é"}'),)),
    "arguments as a list": ({"tool_calls": [call([1])]}, (RawCall("c1", "f", "[1]"),)),
    "arguments null": ({"tool_calls": [call(None)]}, (RawCall("c1", "f", ""),)),
    "arguments malformed": ({"tool_calls": [call('{"a": ')]}, (RawCall("c1", "f", '{"a": '),)),
    "id null": ({"tool_calls": [call(identity=None)]}, (RawCall("", "f", "{}"),)),
    "id a number": ({"tool_calls": [call(identity=7)]}, (RawCall("7", "f", "{}"),)),
    "ids twice": ({"tool_calls": [call(), call(name="g")]}, (RawCall("c1", "f", "{}"), RawCall("c1", "g", "{}"))),
    "no function": ({"tool_calls": [{"id": "c1", "name": "f", "arguments": {}}]}, (RawCall("c1", "f", "{}"),)),
    "function null": ({"tool_calls": [{"id": "c1", "function": None}]}, (RawCall("c1", "", ""),)),
    "name null": ({"tool_calls": [call(name=None)]}, (RawCall("c1", "", "{}"),)),
    "null between": ({"tool_calls": [None, call(), "x"]}, (RawCall("c1", "f", "{}"),)),
    "an object, no list": ({"tool_calls": call()}, (RawCall("c1", "f", "{}"),)),
    "a custom tool": (
        {"tool_calls": [{"id": "c1", "type": "custom", "custom": {"name": "f", "input": "raw text"}}]},
        (RawCall("c1", "f", "raw text"),),
    ),
    "function_call": ({"function_call": {"name": "f", "arguments": "{}"}}, (RawCall("", "f", "{}"),)),
    "both": (
        {"tool_calls": [call()], "function_call": {"name": "f", "arguments": "{}"}},
        (RawCall("c1", "f", "{}"),),
    ),
}


@pytest.mark.parametrize("case", CALLS)
def test_calls_are_read_in_all_their_forms(case: str) -> None:
    fields, calls = CALLS[case]
    assert reply_of(message(content=None, **fields)) == Reply(calls=calls, finish_reason="stop")


@pytest.mark.parametrize("body", [{}, {"choices": None}, {"choices": []}, {"choices": [None]}, {"choices": {}}])
def test_a_body_without_a_choice_is_no_reply(body: Any) -> None:
    assert reply_of(body) is None


@pytest.mark.parametrize(
    ("given", "read"),
    [("length", "length"), ("eos", "eos"), ("function_call", "function_call"), (None, None), ("", None), (1, None)],
)
def test_the_finish_reason_is_kept_as_the_server_gave_it(given: Any, read: str | None) -> None:
    reply = reply_of({"choices": [{"message": {"content": "x"}, "finish_reason": given}]})
    assert reply == Reply("x", finish_reason=read)


def test_a_completion_choice_has_its_text_beside_it() -> None:
    assert reply_of({"choices": [{"text": "upon", "index": 0}]}) == Reply("upon")


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}, Usage(3, 2)),
        ({"prompt_tokens": 3, "total_tokens": 5}, Usage(3, 2)),
        ({"completion_tokens": 2, "total_tokens": 5}, Usage(3, 2)),
        ({"total_tokens": 5}, Usage(5, 0)),
        ({"prompt_tokens": 3}, Usage(3, 0)),
        ({"prompt_tokens": None, "completion_tokens": "2"}, Usage()),
        ({"prompt_tokens": 3.0, "completion_tokens": True}, Usage(3, 0)),
        ({"input_tokens": 3, "output_tokens": 2}, Usage(3, 2)),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 8}}, Usage(9, 1, 8)),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": None}, Usage(9, 1)),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 4}, Usage(9, 1, 4)),
        (None, None),
        ([], None),
    ],
    ids=str,
)
def test_usage_is_read_as_far_as_it_goes(usage: Any, read: Usage | None) -> None:
    assert usage_of({"usage": usage}) == read


def test_a_chunk_has_delta_finish_reason_and_usage() -> None:
    delta = {"content": "x", "reasoning": "y", "tool_calls": [{"index": 2, "id": "c", "function": {"name": "f"}}]}
    body = {"choices": [{"delta": delta, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1}}
    assert chunk_of(body) == Chunk("x", "y", (CallDelta(2, "c", "f", ""),), "stop", Usage(1))


def test_a_chunk_of_another_choice_is_empty() -> None:
    assert chunk_of({"choices": [{"index": 1, "delta": {"content": "x"}}]}) == Chunk()


@given(JSON)
def test_no_json_is_too_odd_to_be_read(body: Any) -> None:
    if isinstance(body, dict):
        assert isinstance(reply_of(body), Reply | None)
        assert isinstance(chunk_of(body), Chunk)


CHAT = ModelProfile("m")


def test_tool_fields_go_out_only_with_tools() -> None:
    request = ModelRequest(messages=({"role": "user"},), tool_choice="auto", parallel_tool_calls=True)
    assert request_parameters(request, CHAT) == {"messages": ({"role": "user"},)}


def test_sampling_of_the_call_comes_before_that_of_the_model_and_none_takes_out() -> None:
    profile = ModelProfile("m", sampling={"temperature": 1, "top_p": 0.5, "seed": 1})
    request = ModelRequest(prompt="x", sampling={"temperature": 0, "seed": None})
    assert request_parameters(request, profile) == {"prompt": "x", "temperature": 0, "top_p": 0.5}


def test_extra_goes_in_as_it_is() -> None:
    request = ModelRequest(prompt="x", extra=MappingProxyType({"grammar": None, "prompt": "y"}))
    assert request_parameters(request, CHAT) == {"prompt": "y", "grammar": None}


def test_a_base_model_is_shown_the_texts_of_messages() -> None:
    request = ModelRequest(
        messages=({"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"text": "Hi"}]}),
        tools=({"type": "function"},),
    )
    assert request_parameters(request, ModelProfile("m", chat=False)) == {"prompt": "Be brief.\n\nHi"}
