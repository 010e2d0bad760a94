"""One contract for every client that talks to a server: the same faults end in the same errors."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from react_engine.errors import ModelError, ModelTimeout, ModelUnavailable, RateLimited, ToolsRefused
from react_engine.models.base import Chunk
from react_engine.models.failures import refused_feature
from tests.loopback import CUT, HANG, RESET, Canned, chunks, completion, only, serve, sse
from tests.models.contract import ASK, ASK_TOOLS, FAULTS, KEY, Opener, Waits, ask, refusal, take

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("stream", [False, True], ids=["complete", "stream"])
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_ends_in_its_typed_error(open_model: Opener, fault: str, stream: bool) -> None:
    canned, kind, retryable = FAULTS[fault]
    with serve(canned) as server:
        model = open_model(server, max_retries=0)
        with pytest.raises(ModelError) as caught:
            await ask(model, ASK_TOOLS, stream=stream)
        assert len(server.requests) == 1
    error = caught.value
    assert (type(error), error.retryable) == (kind, retryable)
    assert error.model == "openai/served"
    assert error.status == (canned.status or None)
    assert KEY not in f"{error} {error!r} {error.__dict__}"
    if isinstance(canned.body, dict):
        assert error.request_id == "req_7"
        assert str(canned.body["error"]["message"]).replace(KEY, "[key]").rstrip(".") in str(error)


async def test_a_refused_key_names_the_variable_and_never_the_key(open_model: Opener) -> None:
    with serve(FAULTS["401"][0]) as server, pytest.raises(ModelUnavailable, match="LOOPBACK_API_KEY") as caught:
        await open_model(server).complete(ASK)
    chain: BaseException | None = caught.value
    while chain is not None:
        assert KEY not in f"{chain} {chain!r}"
        chain = chain.__cause__


@pytest.mark.parametrize("stream", [False, True], ids=["complete", "stream"])
async def test_a_hung_server_is_a_timeout_and_is_not_asked_again(open_model: Opener, stream: bool) -> None:
    with serve([Canned(completion()), only(HANG)]) as server:
        await open_model(server).complete(ASK)  # whatever is loaded at the first request is no part of the wait
        with pytest.raises(ModelTimeout, match=r"0\.2 s") as caught:
            await ask(open_model(server, timeout=0.2), ASK, stream=stream)
        assert len(server.requests) == 2
    assert caught.value.retryable


async def test_a_stream_that_falls_silent_is_a_timeout(open_model: Opener) -> None:
    with serve([Canned(completion()), sse(chunks("Hel", finish=None), done=False, then=HANG)]) as server:
        await open_model(server).complete(ASK)
        pieces, error = await take(open_model(server, timeout=0.3))
    assert (pieces[0], type(error)) == (Chunk("Hel"), ModelTimeout)


STREAM_FAULTS: dict[str, Canned] = {
    "closed early": sse(chunks("Hel", finish=None, usage=False), done=False),
    "cut": sse(chunks("Hel", finish=None, usage=False), done=False, then=CUT),
    "reset": sse(chunks("Hel", finish=None, usage=False), done=False, then=RESET),
    "error event": sse([*chunks("Hel", finish=None, usage=False), {"error": {"message": "It broke.", "code": 500}}]),
}


@pytest.mark.parametrize("fault", STREAM_FAULTS)
async def test_a_broken_stream_raises_after_its_pieces_and_is_not_tried_again(open_model: Opener, fault: str) -> None:
    with serve(STREAM_FAULTS[fault]) as server:
        pieces, error = await take(open_model(server))
        assert len(server.requests) == 1
    if fault == "closed early" and error is None and pieces[-1].finish_reason == "stop":
        pytest.skip("this litellm makes up the end of a stream that just stops")
    assert pieces == [Chunk("Hel")]
    assert error is not None
    assert error.retryable


@pytest.mark.parametrize("body", [{"choices": []}, {"choices": None}, {}], ids=str)
async def test_a_reply_without_choices_is_an_error_that_shows_what_came(open_model: Opener, body: Any) -> None:
    with serve(Canned(body)) as server, pytest.raises(ModelError):
        await open_model(server, max_retries=0).complete(ASK)


@pytest.mark.parametrize("stream", [False, True], ids=["complete", "stream"])
async def test_an_error_inside_a_good_status_is_an_error(open_model: Opener, stream: bool) -> None:
    event = {"error": {"message": "Overloaded.", "type": "server_error"}}
    with serve(sse([event]) if stream else Canned(event)) as server, pytest.raises(ModelError, match="Overloaded"):
        await ask(open_model(server, max_retries=0), ASK, stream=stream)


@pytest.mark.parametrize("stream", [False, True], ids=["complete", "stream"])
async def test_a_web_page_is_an_error(open_model: Opener, stream: bool) -> None:
    page = Canned("<html>Welcome</html>", headers={"Content-Type": "text/html"})
    with serve(page) as server, pytest.raises(ModelError):
        await ask(open_model(server, max_retries=0), ASK, stream=stream)


@pytest.mark.parametrize("stream", [False, True], ids=["complete", "stream"])
@pytest.mark.parametrize("fault", ["408", "429", "500", "503", "dropped", "reset"])
async def test_a_transient_fault_is_tried_again(open_model: Opener, fault: str, stream: bool) -> None:
    good = sse(chunks("Hello")) if stream else Canned(completion("Hello"))
    waits = Waits()
    with serve([FAULTS[fault][0], FAULTS[fault][0], good]) as server:
        reply = await ask(open_model(server, sleep=waits), ASK, stream=stream)
        assert len(server.requests) == 3
    assert reply.text == "Hello"
    assert [0.5 <= waits.seconds[0] <= 1.0, 1.0 <= waits.seconds[1] <= 1.5] == [True, True]


async def test_retries_end_and_the_error_says_how_often_it_was_tried(open_model: Opener) -> None:
    with serve(FAULTS["503"][0]) as server:
        with pytest.raises(ModelUnavailable, match=r"Tried 3 times\."):
            await open_model(server).complete(ASK)
        assert len(server.requests) == 3


@pytest.mark.parametrize("fault", ["400", "401", "404", "422", "429 spent", "tools", "context"])
async def test_a_lasting_fault_is_not_tried_again(open_model: Opener, fault: str) -> None:
    with serve(FAULTS[fault][0]) as server:
        with pytest.raises(ModelError):
            await open_model(server).complete(ASK_TOOLS)
        assert len(server.requests) == 1


async def test_the_pause_that_the_server_asks_for_is_kept(open_model: Opener) -> None:
    waits = Waits()
    slow = Canned({"error": {"message": "Slow down."}}, status=429, headers={"Retry-After": "7"})
    with serve([slow, Canned(completion())]) as server:
        await open_model(server, sleep=waits).complete(ASK)
    assert waits.seconds == [7.0]


async def test_a_pause_of_hours_is_not_waited_for(open_model: Opener) -> None:
    waits = Waits()
    with serve(Canned({"error": {"message": "Tomorrow."}}, status=429, headers={"Retry-After": "7200"})) as server:
        with pytest.raises(RateLimited) as caught:
            await open_model(server, sleep=waits).complete(ASK)
        assert len(server.requests) == 1
    assert caught.value.retry_after == 7200
    assert waits.seconds == []


async def test_nobody_listening_is_an_unavailable_model(open_model: Opener) -> None:
    with serve(Canned(completion())) as server:
        pass
    with pytest.raises(ModelUnavailable, match="No connection") as caught:
        await open_model(server, max_retries=0).complete(ASK)
    assert caught.value.retryable
    assert "running" in caught.value.hint


@pytest.mark.parametrize(
    ("message", "feature"),
    [
        ("Unsupported parameter: 'stop' is not supported with this model.", "stop"),
        ("System role not supported", "system"),
        ("Conversation roles must alternate user/assistant/user/assistant/...", "roles"),
        ("This model only supports single tool-calls at once!", "parallel_tool_calls"),
        ("does not support tools", "tools"),
        ("the request exceeds the available context size", "context"),
        ("Bad request.", None),
    ],
)
async def test_a_refused_feature_is_recognisable(open_model: Opener, message: str, feature: str | None) -> None:
    with serve(refusal(400, message)) as server, pytest.raises(ModelError) as caught:
        await open_model(server).complete(ASK_TOOLS)
    assert refused_feature(caught.value) == feature


async def test_errors_survive_pickling(open_model: Opener) -> None:
    with serve(FAULTS["tools"][0]) as server, pytest.raises(ToolsRefused) as caught:
        await open_model(server).complete(ASK_TOOLS)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), str(copy), copy.__dict__) == (ToolsRefused, str(caught.value), caught.value.__dict__)
