"""``react/NAME`` through litellm itself: sync and async, whole and streamed, its exceptions and its prices."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import react_engine
from react_engine.models.litellm_runtime import load
from react_engine.parsers.dialects import forget_dialect
from tests.loopback import Canned, Request, Server, chunks, completion, serve, sse
from tests.provider.driving import CALL, TOOLS

ASKED = [{"role": "user", "content": "What is the weather in Oslo?"}]
ROOT = Path(__file__).parent.parent.parent


def says(text: str) -> Callable[[Request], Canned]:
    def handler(request: Request) -> Canned:
        if request.json().get("stream"):
            return sse(chunks(*(text[at : at + 4] for at in range(0, len(text), 4))))
        return Canned(completion(text))

    return handler


@pytest.fixture
def litellm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """litellm with the provider in it, without settings of the user."""
    monkeypatch.chdir(tmp_path)
    loaded = load()
    before = list(loaded.custom_provider_map)
    react_engine.register(repairs=0)
    yield loaded
    loaded.custom_provider_map = before


def options(server: Server, **more: Any) -> dict[str, Any]:
    return {"model": "react/openai/served", "api_base": server.url, "messages": ASKED, "tools": TOOLS, **more}


def call_of(message: Any) -> tuple[str, Any]:
    (call,) = message.tool_calls
    return call.function.name, json.loads(call.function.arguments)


@pytest.mark.anyio
async def test_a_model_in_text_calls_tools_whole_and_streamed(litellm: Any) -> None:
    with serve(says(CALL)) as server:
        whole = await litellm.acompletion(**options(server))
        pieces = [piece async for piece in await litellm.acompletion(**options(server, stream=True))]
        rebuilt = litellm.stream_chunk_builder(pieces)
    assert call_of(whole.choices[0].message) == ("get_weather", {"city": "Oslo"})
    assert call_of(rebuilt.choices[0].message) == ("get_weather", {"city": "Oslo"})
    assert whole.choices[0].finish_reason == rebuilt.choices[0].finish_reason == "tool_calls"
    assert whole.usage.total_tokens == 18


def test_callers_that_are_not_async_get_the_same(litellm: Any) -> None:
    with serve(says(CALL)) as server:
        whole = litellm.completion(**options(server))
        pieces = list(litellm.completion(**options(server, stream=True)))
    assert call_of(whole.choices[0].message) == ("get_weather", {"city": "Oslo"})
    assert call_of(litellm.stream_chunk_builder(pieces).choices[0].message) == ("get_weather", {"city": "Oslo"})


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("status", "message", "raised"),
    [
        (400, "no", "BadRequestError"),
        (400, "This model's maximum context length is 4096 tokens", "ContextWindowExceededError"),
        (404, "no such model", "NotFoundError"),
        (429, "slow down", "RateLimitError"),
        (401, "bad key", "ServiceUnavailableError"),
        (503, "loading", "ServiceUnavailableError"),
    ],
)
async def test_failures_are_litellms_own_exceptions(litellm: Any, status: int, message: str, raised: str) -> None:
    headers = {"Retry-After": "100"}  # longer than anyone waits
    refusing = Canned({"error": {"message": message}}, status=status, headers=headers)
    with serve(refusing) as server, pytest.raises(getattr(litellm, raised)):
        await litellm.acompletion(**options(server), max_retries=0)


@pytest.mark.anyio
async def test_what_a_client_may_not_ask_is_a_bad_request(litellm: Any) -> None:
    with serve(says(CALL)) as server:
        with pytest.raises(litellm.BadRequestError, match="n: one choice"):
            await litellm.acompletion(**options(server, n=3))
        with pytest.raises(litellm.BadRequestError, match="no open call"):
            await litellm.acompletion(
                **options(server, messages=[*ASKED, {"role": "tool", "tool_call_id": "x", "content": "1"}])
            )
    assert server.requests == []


@pytest.mark.anyio
async def test_a_key_of_the_caller_goes_to_the_server_of_the_call(litellm: Any) -> None:
    with serve(says(CALL)) as server:
        await litellm.acompletion(**options(server, api_key="sk-mine"))
        await litellm.acompletion(**options(server))
    assert [request.headers.get("authorization") for request in server.requests] == ["Bearer sk-mine", None]


@pytest.mark.anyio
async def test_the_money_is_that_of_the_model_behind(litellm: Any) -> None:
    with serve(says(CALL)) as server:
        reply = await litellm.acompletion(**options(server, model="react/openai/gpt-4o-mini", api_base=server.url))
    price = litellm.model_cost["gpt-4o-mini"]
    expected = 11 * price["input_cost_per_token"] + 7 * price["output_cost_per_token"]
    assert reply._hidden_params["response_cost"] == pytest.approx(expected)


@pytest.mark.anyio
async def test_requests_at_once_do_not_mix(litellm: Any) -> None:
    def echo(request: Request) -> Canned:
        asked = request.json()["messages"][-1]["content"]
        return says(f'Thought: x\nAction: get_weather\nAction Input: {{"city": "{asked}"}}')(request)

    async def ask(city: str) -> str:
        messages = [{"role": "user", "content": city}]
        stream = await litellm.acompletion(**options(server, messages=messages, stream=True))
        rebuilt = litellm.stream_chunk_builder([piece async for piece in stream])
        return str(call_of(rebuilt.choices[0].message)[1]["city"])

    with serve(echo) as server:
        cities = [f"city {number}" for number in range(20)]
        assert await asyncio.gather(*map(ask, cities)) == cities


def test_a_line_in_a_config_names_the_handler() -> None:
    script = (
        "import sys, react_engine.provider as p\n"
        "assert 'litellm' not in sys.modules\n"
        "import litellm\n"
        "from litellm import CustomLLM\n"
        "assert isinstance(p.react_llm, CustomLLM) and p.react_llm is p.react_llm\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr


def test_registering_twice_replaces_the_handler(litellm: Any) -> None:
    first = react_engine.register(path="prompt")
    second = react_engine.register()
    assert first is not second
    assert [entry["custom_handler"] for entry in litellm.custom_provider_map if entry["provider"] == "react"] == [
        second
    ]


@pytest.mark.anyio
async def test_dialects_of_the_settings_are_known_behind_litellm(litellm: Any, tmp_path: Path) -> None:
    (tmp_path / "react-engine.toml").write_text(
        '[dialects.acme]\nlike = "hermes"\nopeners = ["<acme>"]\nclosers = ["</acme>"]\n'
        '[models."openai/served"]\nfunction_calling = false\n',
        encoding="utf-8",
    )
    react_engine.register(repairs=0)
    try:
        with serve(says('<acme>{"name": "get_weather", "arguments": {"city": "Oslo"}}</acme>')) as server:
            whole = await litellm.acompletion(**options(server))
    finally:
        forget_dialect("acme")
    assert call_of(whole.choices[0].message) == ("get_weather", {"city": "Oslo"})
