"""One contract for every client that talks to a server: the same server, the same requests, the same replies."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
from collections.abc import Iterator
from typing import Any

import anyio
import pytest

from react_engine.models.base import Chunk, Model, ModelRequest, RawCall, Reply, ReplyBuilder
from react_engine.types import Usage
from tests.loopback import HANG, Canned, Request, chunks, completion, only, serve, sse
from tests.models.contract import ASK, ASK_TOOLS, KEY, TOOL, USAGE, Opener, collect, refusal, settled

pytestmark = pytest.mark.anyio


async def test_both_clients_are_models(open_model: Opener) -> None:
    with serve(Canned(completion())) as server:
        model = open_model(server)
        assert isinstance(model, Model)
        assert model.name == "openai/served"


async def test_complete_gives_text_finish_reason_and_usage(open_model: Opener) -> None:
    with serve(Canned(completion("Hello"))) as server:
        reply = await open_model(server).complete(ASK)
    assert settled(reply) == Reply("Hello", finish_reason="stop", usage=USAGE)
    assert 0 < reply.elapsed < 20


async def test_the_request_holds_what_was_asked_and_nothing_null(open_model: Opener) -> None:
    request = ModelRequest(
        messages=ASK.messages,
        tools=(TOOL,),
        tool_choice={"type": "function", "function": {"name": "add"}},
        parallel_tool_calls=False,
        stop=("\nObservation:",),
        sampling={"temperature": 0.5, "seed": None, "max_tokens": 9},
        extra={"cache_prompt": True},
    )
    with serve(Canned(completion())) as server:
        await open_model(server, profile={"sampling": {"temperature": 1.0, "seed": 3, "top_p": 0.9}}).complete(request)
        (sent,) = server.requests
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.json() == {
        "model": "served",
        "messages": list(ASK.messages),
        "tools": [TOOL],
        "tool_choice": {"type": "function", "function": {"name": "add"}},
        "parallel_tool_calls": False,
        "stop": ["\nObservation:"],
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 9,
        "cache_prompt": True,
    }


async def test_stop_words_stay_at_home_where_the_server_takes_none(open_model: Opener) -> None:
    with serve(Canned(completion())) as server:
        model = open_model(server, profile={"stop_words": False})
        await model.complete(ModelRequest(messages=ASK.messages, stop=("x",)))
        assert server.bodies == [{"model": "served", "messages": list(ASK.messages)}]


async def test_native_calls_are_read_with_their_ids_and_arguments(open_model: Opener) -> None:
    with serve(Canned(completion(None, [("add", {"a": 1, "b": 2}), ("add", {"a": 3, "b": 4})]))) as server:
        reply = await open_model(server).complete(ASK_TOOLS)
    calls = (RawCall("call_0", "add", '{"a": 1, "b": 2}'), RawCall("call_1", "add", '{"a": 3, "b": 4}'))
    assert settled(reply) == Reply(calls=calls, finish_reason="tool_calls", usage=USAGE)


async def test_reasoning_stands_apart_from_the_text(open_model: Opener) -> None:
    whole = completion("Hi")
    whole["choices"][0]["message"]["reasoning_content"] = "They greet."
    events = chunks({"reasoning_content": "They "}, {"reasoning_content": "greet."}, "Hi")
    with serve([Canned(whole), sse(events)]) as server:
        model = open_model(server)
        replies = [settled(await model.complete(ASK)), await collect(model)]
    assert replies == [Reply("Hi", reasoning="They greet.", finish_reason="stop", usage=USAGE)] * 2


async def test_cached_tokens_are_counted(open_model: Opener) -> None:
    whole = completion()
    whole["usage"]["prompt_tokens_details"] = {"cached_tokens": 8}
    with serve(Canned(whole)) as server:
        reply = await open_model(server).complete(ASK)
    assert reply.usage == Usage(11, 7, 8)


async def test_a_stream_gives_the_pieces_and_ends_with_finish_reason_and_usage(open_model: Opener) -> None:
    with serve(sse(chunks("Hel", "lo"))) as server:
        pieces = [chunk async for chunk in open_model(server).stream(ASK)]
        (sent,) = server.bodies
    builder = ReplyBuilder()
    for chunk in pieces:
        builder.add(chunk)
    assert pieces[:2] == [Chunk("Hel"), Chunk("lo")]
    assert Chunk() not in pieces
    assert builder.reply() == Reply("Hello", finish_reason="stop", usage=USAGE)
    assert sent["stream"] is True
    assert sent["stream_options"] == {"include_usage": True}


CALL_STREAMS = {
    "in pieces": [
        {"tool_calls": [{"index": 0, "id": "call_0", "function": {"name": "add", "arguments": ""}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"a": 1, '}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '"b": 2}'}}]},
        {"tool_calls": [{"index": 1, "id": "call_1", "function": {"name": "add", "arguments": '{"a": 3, "b": 4}'}}]},
    ],
    "all with index 0": [
        {"tool_calls": [{"index": 0, "id": "call_0", "function": {"name": "add", "arguments": '{"a": 1, "b": 2}'}}]},
        {"tool_calls": [{"index": 0, "id": "call_1", "function": {"name": "add", "arguments": '{"a": 3, "b": 4}'}}]},
    ],
}


@pytest.mark.parametrize("deltas", CALL_STREAMS.values(), ids=CALL_STREAMS)
async def test_a_stream_of_calls_gives_the_calls_that_complete_gives(open_model: Opener, deltas: list[Any]) -> None:
    whole = completion(None, [("add", {"a": 1, "b": 2}), ("add", {"a": 3, "b": 4})])
    with serve([Canned(whole), sse(chunks(*deltas, finish="tool_calls"))]) as server:
        model = open_model(server)
        replies = [settled(await model.complete(ASK_TOOLS)), await collect(model, ASK_TOOLS)]
    assert replies[0] == replies[1]


@pytest.mark.parametrize("text", ["", "né ✓ 🙂", "a\r\nb\u2028c\x85d", '{"error": "no"}', "data: [DONE]\n\n"])
async def test_a_stream_of_text_equals_the_whole(open_model: Opener, text: str) -> None:
    with serve([Canned(completion(text)), sse(chunks(*text))]) as server:
        model = open_model(server)
        assert settled(await model.complete(ASK)) == await collect(model)


async def test_a_base_model_is_asked_with_a_prompt(open_model: Opener) -> None:
    choice = {"index": 0, "text": " upon a time", "finish_reason": "length"}
    body = {"id": "c", "object": "text_completion", "created": 1, "model": "served", "choices": [choice]}
    body["usage"] = completion()["usage"]
    streamed = [{**body, "choices": [{**choice, "finish_reason": None}]}, {**body, "choices": [{**choice, "text": ""}]}]
    with serve([Canned(body), sse(streamed)]) as server:
        model = open_model(server, profile={"chat": False})
        request = ModelRequest(prompt="Once", stop=("x",))
        replies = [settled(await model.complete(request)), await collect(model, request)]
        assert [(sent.path, sent.json()["prompt"], sent.json()["stop"]) for sent in server.requests] == [
            ("/v1/completions", "Once", ["x"])
        ] * 2
    assert [(reply.text, reply.finish_reason, reply.usage) for reply in replies] == [
        (" upon a time", "length", USAGE)
    ] * 2


@pytest.mark.parametrize("finish", ["stop", "length", "tool_calls", "content_filter"])
async def test_the_finish_reason_is_passed_on(open_model: Opener, finish: str) -> None:
    with serve([Canned(completion("x", finish_reason=finish)), sse(chunks("x", finish=finish))]) as server:
        model = open_model(server)
        replies = [await model.complete(ASK), await collect(model)]
    assert [reply.finish_reason for reply in replies] == [finish, finish]


async def test_usage_in_streams_is_given_up_where_the_server_refuses_to_count(open_model: Opener) -> None:
    def handler(request: Request) -> Canned:
        if "stream_options" in request.json():
            return refusal(400, "property 'stream_options' is unsupported, did you mean 'stream'?")
        return sse(chunks("Hello", usage=False))

    with serve(handler) as server:
        model = open_model(server)
        replies = [await collect(model), await collect(model)]
        assert ["stream_options" in body for body in server.bodies] == [True, False, False]
    assert [reply.text for reply in replies] == ["Hello", "Hello"]


async def test_the_key_stands_in_no_representation(open_model: Opener) -> None:
    with serve(Canned(completion())) as server:
        assert KEY not in repr(open_model(server))


async def test_the_key_comes_from_the_variable_of_the_profile(
    open_model: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOPBACK_API_KEY", f"{KEY}\n")
    with serve(Canned(completion())) as server:
        await open_model(server, key=None).complete(ASK)
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_another_providers_key_is_not_sent_to_a_server_of_ones_own(
    open_model: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serve(Canned(completion())) as server:
        await open_model(server, key=None).complete(ASK)
        assert KEY not in json.dumps(dict(server.requests[0].headers))


async def test_closing_a_stream_ends_the_request(open_model: Opener) -> None:
    gone = threading.Event()

    def pieces() -> Iterator[str]:
        yield from (f"data: {json.dumps(event)}\n\n" for event in chunks("Hel", finish=None, usage=False))
        yield HANG
        gone.set()

    with serve(lambda _: Canned(pieces())) as server:
        stream = open_model(server).stream(ASK)
        assert await anext(stream) == Chunk("Hel")
        await stream.aclose()  # type: ignore[attr-defined]
        assert await anyio.to_thread.run_sync(gone.wait, 10)


async def test_cancelling_ends_the_request(open_model: Opener) -> None:
    asked = threading.Event()

    def handler(_: Request) -> Canned:
        asked.set()
        return only(HANG)

    with serve(handler) as server:
        task = asyncio.ensure_future(open_model(server).complete(ASK))
        await anyio.to_thread.run_sync(asked.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(server.requests) == 1


async def test_many_requests_at_once_get_their_own_replies(open_model: Opener) -> None:
    def echo(request: Request) -> Canned:
        return Canned(completion(request.json()["messages"][0]["content"]))

    with serve(echo) as server:
        model = open_model(server)
        requests = [ModelRequest(messages=({"role": "user", "content": f"number {i}"},)) for i in range(24)]
        replies = await asyncio.gather(*(model.complete(request) for request in requests))
    assert [reply.text for reply in replies] == [f"number {i}" for i in range(24)]


async def test_a_closed_model_can_be_used_again(open_model: Opener) -> None:
    with serve(Canned(completion("Hello"))) as server:
        model = open_model(server)
        for _ in range(2):
            assert (await model.complete(ASK)).text == "Hello"
            await model.aclose()


def test_one_model_serves_event_loop_after_event_loop_and_leaves_no_socket_open(open_model: Opener) -> None:
    with serve(Canned(completion("Hello"))) as server:
        model = open_model(server)
        for _ in range(2):
            assert asyncio.run(model.complete(ASK)).text == "Hello"
            gc.collect()  # an open socket would warn here, and warnings are errors
        assert len({request.peer for request in server.requests}) == 2
