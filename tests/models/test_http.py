"""What only the lean client does."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import AsyncIterator
from types import MappingProxyType
from typing import Any

import anyio
import httpx
import pytest

from react_engine.errors import ConfigurationError, ModelError, ModelUnavailable, RateLimited
from react_engine.models.base import Chunk, ModelRequest, Reply
from react_engine.models.http import HttpModel
from react_engine.models.profile import ModelProfile
from react_engine.types import Usage
from tests.loopback import HANG, Canned, Request, chunks, completion, only, serve, sse

ASK = ModelRequest(messages=({"role": "user", "content": "Hi"},))
pytestmark = pytest.mark.anyio


def model(api_base: str, name: str = "m", *, key: str | None = None, **options: Any) -> HttpModel:
    return HttpModel(ModelProfile(name, api_base=api_base), api_key=key, max_retries=0, **options)


def settled(reply: Reply) -> Reply:
    return Reply(reply.text, reply.calls, reply.reasoning, reply.finish_reason, reply.usage)


@pytest.mark.parametrize(
    ("suffix", "path"),
    [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/v1", "/v1/chat/completions"),
        ("/v1///", "/v1/chat/completions"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        ("/proxy/llm", "/proxy/llm/v1/chat/completions"),
        ("/api/v3/", "/api/v3/chat/completions"),
        ("/v1beta/openai", "/v1beta/openai/chat/completions"),
        ("/v1?api-version=2", "/v1/chat/completions?api-version=2"),
    ],
)
async def test_an_api_base_is_taken_as_people_write_it(suffix: str, path: str) -> None:
    with serve(Canned(completion())) as server:
        await model(server.url + suffix).complete(ASK)
        await model(server.url.removeprefix("http://") + suffix).complete(ASK)
        assert [request.path for request in server.requests] == [path, path]


@pytest.mark.parametrize(
    "api_base", [None, "", "  ", "ftp://host", "http://", "http://host:port", "http://[::1", "http://h:0"]
)
def test_what_is_no_address_is_refused_with_an_example(api_base: str | None) -> None:
    with pytest.raises(ConfigurationError, match="'m'"):
        HttpModel(ModelProfile("m", api_base=api_base))


@pytest.mark.parametrize("key", ["line\nbreak", "schlüssel", "nul\x00"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        model("http://h", key=key)
    assert key not in str(caught.value)


async def test_user_and_password_of_an_address_are_sent_and_not_shown() -> None:
    with serve(Canned(completion())) as server:
        asked = model(server.url.replace("//", "//us%40er:secret@"))
        await asked.complete(ASK)
        assert server.requests[0].headers["authorization"] == "Basic dXNAZXI6c2VjcmV0"
        assert server.requests[0].headers["host"] == server.url.removeprefix("http://")
    assert "secret" not in repr(asked)


async def test_no_key_sends_no_authorization() -> None:
    with serve(Canned(completion())) as server:
        await model(server.url).complete(ASK)
        assert "authorization" not in server.requests[0].headers


@pytest.mark.parametrize(
    ("name", "served", "hint"),
    [
        ("qwen", ("qwen2.5", "llama3"), "Did you mean 'qwen2.5'? The server serves qwen2.5, llama3"),
        ("zzz", ("qwen2.5",), "The server serves qwen2.5: set served_name"),
        ("qwen2.5", ("qwen2.5",), "not at this address: check api_base"),
        ("qwen", (), "Check the model's name and api_base."),
    ],
)
async def test_an_unknown_name_is_answered_with_the_names_that_are_served(
    name: str, served: tuple[str, ...], hint: str
) -> None:
    missing = Canned({"error": {"message": "Not found."}}, status=404)
    with serve(missing, models=served) as server, pytest.raises(ModelUnavailable) as caught:
        await model(server.url, name).complete(ASK)
    assert hint in caught.value.hint


async def test_a_server_that_streams_unasked_is_read() -> None:
    with serve(sse(chunks("Hel", "lo"))) as server:
        reply = await model(server.url).complete(ASK)
    assert settled(reply) == Reply("Hello", finish_reason="stop", usage=Usage(11, 7))


async def test_a_server_that_does_not_stream_when_asked_is_read() -> None:
    with serve(Canned(completion("Hello"))) as server:
        pieces = [chunk async for chunk in model(server.url).stream(ASK)]
    assert pieces == [Chunk("Hello", finish_reason="stop", usage=Usage(11, 7))]


async def test_a_compressed_reply_is_read() -> None:
    body = gzip.compress(json.dumps(completion("Hello")).encode())
    with serve(Canned(body, headers={"Content-Encoding": "gzip"})) as server:
        assert (await model(server.url).complete(ASK)).text == "Hello"


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b'"x"', b"\xff\xfe", b"[" * 100_000, b"<html>"])
async def test_a_body_that_is_no_reply_is_an_error(body: bytes) -> None:
    with serve(Canned(body)) as server, pytest.raises(ModelError, match="Received") as caught:
        await model(server.url).complete(ASK)
    assert not caught.value.retryable


async def test_a_body_shorter_than_announced_is_an_error_worth_retrying() -> None:
    short = Canned('{"choices": [', headers={"Content-Length": "500"})
    with serve(short) as server, pytest.raises(ModelError) as caught:
        await model(server.url, timeout=0.3).complete(ASK)
    assert caught.value.retryable


async def test_half_a_surrogate_pair_in_a_text_does_not_stop_the_request() -> None:
    with serve(Canned(completion())) as server:
        await model(server.url).complete(ModelRequest(messages=({"role": "user", "content": "a\ud83d 🙂"},)))
        assert server.bodies[0]["messages"][0]["content"] == "a? 🙂"


async def test_read_only_mappings_are_written() -> None:
    request = ModelRequest(messages=(MappingProxyType({"role": "user", "content": "Hi"}),))
    with serve(Canned(completion())) as server:
        await model(server.url).complete(request)
        assert server.bodies[0]["messages"] == [{"role": "user", "content": "Hi"}]


@pytest.mark.parametrize("value", [float("nan"), object(), {1, 2}, b"x"])
async def test_what_json_cannot_hold_is_a_model_error(value: Any) -> None:
    with pytest.raises(ModelError, match="cannot be written as JSON"):
        await model("http://127.0.0.1:9").complete(ModelRequest(prompt="x", sampling={"seed": value}))


async def test_connections_are_used_again() -> None:
    with serve(Canned(completion())) as server:
        asked = model(server.url)
        for _ in range(3):
            await asked.complete(ASK)
        assert len({request.peer for request in server.requests}) == 1
        await asyncio.gather(*(asked.complete(ASK) for _ in range(4)))
        await asyncio.gather(*(asked.complete(ASK) for _ in range(4)))
        assert len({request.peer for request in server.requests}) <= 4


async def test_a_connection_that_the_server_closed_in_between_does_no_harm() -> None:
    with serve(Canned(completion(), headers={"Connection": "close"})) as server:
        asked = model(server.url)
        for _ in range(3):
            assert (await asked.complete(ASK)).text == "Hello"
        assert len(server.requests) == 3


async def test_a_proxy_never_stands_before_a_loopback_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with serve(Canned(completion())) as server:
        assert (await model(server.url).complete(ASK)).text == "Hello"


async def test_a_proxy_from_the_environment_carries_other_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(Canned(completion("by proxy"))) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("no_proxy", "")
        assert (await model("http://model.invalid/v1").complete(ASK)).text == "by proxy"
        assert proxy.requests[0].path == "http://model.invalid/v1/chat/completions"


async def test_a_host_that_does_not_resolve_is_an_unavailable_model() -> None:
    with pytest.raises(ModelUnavailable, match=r"No connection to http://nowhere\.invalid/v1"):
        await model("http://nowhere.invalid").complete(ASK)


class InProcess(httpx.AsyncBaseTransport):
    """A server without a network."""

    def __init__(self) -> None:
        self.closed = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=completion(request.url.path))

    async def aclose(self) -> None:
        self.closed = True


async def test_a_transport_of_ones_own_replaces_the_network() -> None:
    transport = InProcess()
    asked = model("http://anywhere/v1", transport=transport)
    assert (await asked.complete(ASK)).text == "/v1/chat/completions"
    await asked.aclose()
    assert transport.closed


async def test_an_error_after_an_empty_first_chunk_is_still_tried_again() -> None:
    role = [{"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]}]
    busy = sse([*role, {"error": {"message": "Busy.", "code": 503}}])

    async def sleep(_: float) -> None:
        """No pause."""

    with serve([busy, sse(chunks("Hello", usage=False))]) as server:
        asked = HttpModel(ModelProfile("m", api_base=server.url), sleep=sleep)
        pieces = [chunk async for chunk in asked.stream(ASK)]
    assert pieces == [Chunk("Hello"), Chunk(finish_reason="stop")]


async def test_an_error_in_mid_stream_has_the_class_of_its_code() -> None:
    with serve(sse([*chunks("a", finish=None, usage=False), {"error": {"message": "Slow.", "code": 429}}])) as server:
        stream: AsyncIterator[Chunk] = model(server.url).stream(ASK)
        assert await anext(stream) == Chunk("a")
        with pytest.raises(RateLimited):
            await anext(stream)


async def test_a_stream_that_breaks_after_its_end_is_whole() -> None:
    with serve(sse(chunks("Hello", usage=False), done=False, then="cut")) as server:
        pieces = [chunk async for chunk in model(server.url).stream(ASK)]
    assert pieces == [Chunk("Hello"), Chunk(finish_reason="stop")]


async def test_a_call_that_the_server_could_not_read_is_handed_over_and_not_asked_for_again() -> None:
    failed = {"message": "Failed to call a function.", "code": "tool_use_failed", "failed_generation": "<function=f>"}
    with serve(Canned({"error": failed}, status=400)) as server:
        with pytest.raises(ModelError) as caught:
            await HttpModel(ModelProfile("m", api_base=server.url)).complete(ASK)
        assert len(server.requests) == 1
    assert caught.value.generation == "<function=f>"


async def test_a_proxy_that_cannot_be_used_makes_the_model_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "nonsense://proxy")
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(ModelUnavailable, match="can be prepared") as caught:
        await model("http://model.invalid/v1").complete(ASK)
    assert "http_proxy" in caught.value.hint


async def test_a_model_works_on_after_requests_were_cancelled() -> None:
    all_asked = threading.Barrier(9)

    def handler(request: Request) -> Canned:
        if "number" in request.json():
            return Canned(completion("Hello"))
        all_asked.wait(10)
        return only(HANG)

    with serve(handler) as server:
        asked = model(server.url)
        tasks = [asyncio.ensure_future(asked.complete(ASK)) for _ in range(8)]
        await anyio.to_thread.run_sync(all_asked.wait, 10)
        for task in tasks:
            task.cancel()
        assert [type(result) for result in await asyncio.gather(*tasks, return_exceptions=True)] == [
            asyncio.CancelledError
        ] * 8
        again = ModelRequest(messages=ASK.messages, extra={"number": 2})
        replies = await asyncio.gather(*(asked.complete(again) for _ in range(8)))
    assert [reply.text for reply in replies] == ["Hello"] * 8
