"""What only the litellm client does."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from react_engine.errors import ModelError, ModelUnavailable, ToolsRefused
from react_engine.models.base import ModelRequest, ReplyBuilder
from react_engine.models.litellm_client import LiteLLMModel
from react_engine.models.profile import ModelProfile
from react_engine.types import Usage
from tests.loopback import Canned, chunks, completion, serve, sse

ASK = ModelRequest(messages=({"role": "user", "content": "Hi"},))
pytestmark = pytest.mark.anyio


def model(name: str, api_base: str, **fields: Any) -> LiteLLMModel:
    return LiteLLMModel(ModelProfile(name, api_base=api_base, **fields), max_retries=0)


@pytest.mark.parametrize("prefix", ["openai", "hosted_vllm", "lm_studio", "llamafile", "custom_openai"])
@pytest.mark.parametrize("suffix", ["", "/", "/v1"])
async def test_a_server_of_ones_own_is_reached_by_an_openai_shaped_name(prefix: str, suffix: str) -> None:
    with serve(Canned(completion())) as server:
        reply = await model(f"{prefix}/served", server.url + suffix).complete(ASK)
        assert [(request.path, request.json()["model"]) for request in server.requests] == [
            ("/v1/chat/completions", "served")
        ]
    assert reply.text == "Hello"
    assert reply.usage == Usage(11, 7)


async def test_ollamas_own_api_is_reached_with_its_tool_calls() -> None:
    message = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]}
    body = {"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": True, "done_reason": "stop"}
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    with serve(Canned(body | {"prompt_eval_count": 5, "eval_count": 2})) as server:
        reply = await model("ollama_chat/m", server.url).complete(ModelRequest(messages=ASK.messages, tools=(tool,)))
        assert server.requests[0].path == "/api/chat"
    assert [(call.name, call.arguments) for call in reply.calls] == [("f", '{"a": 1}')]


async def test_the_served_name_is_litellms_name() -> None:
    with serve(Canned(completion())) as server:
        asked = model("my-model", server.url, served_name="openai/served")
        await asked.complete(ASK)
        assert asked.name == "my-model"
        assert server.bodies[0]["model"] == "served"


@pytest.mark.parametrize("stream", [False, True], ids=["complete", "stream"])
async def test_the_cost_comes_from_litellms_prices(stream: bool) -> None:
    with serve(sse(chunks("Hello")) if stream else Canned(completion())) as server:
        asked = model("openai/gpt-4o", server.url)
        if stream:
            builder = ReplyBuilder()
            async for chunk in asked.stream(ASK):
                builder.add(chunk)
            reply = builder.reply()
        else:
            reply = await asked.complete(ASK)
    assert reply.usage.cost == pytest.approx(11 * 2.5e-6 + 7 * 10e-6)


async def test_the_cost_of_an_unknown_model_is_unknown() -> None:
    with serve(Canned(completion())) as server:
        assert (await model("openai/served", server.url).complete(ASK)).usage.cost is None


async def test_tools_that_litellm_itself_refuses_are_refused_tools() -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    with serve(Canned(completion())) as server:
        with pytest.raises(ModelError) as caught:
            await model("perplexity/sonar", server.url).complete(ModelRequest(messages=ASK.messages, tools=(tool,)))
        assert server.requests == []
    assert type(caught.value) is ToolsRefused


async def test_a_name_without_a_provider_is_an_error_that_says_so() -> None:
    with pytest.raises(ModelError, match=r"litellm knows no provider for the model .no-such-model."):
        await LiteLLMModel(ModelProfile("no-such-model")).complete(ASK)


@pytest.mark.parametrize("name", ["openai/gpt-4o", "gemini/gemini-2.0-flash", "anthropic/claude-3-haiku-20240307"])
async def test_a_key_that_is_not_set_is_said_to_be_missing(name: str) -> None:
    with pytest.raises(ModelUnavailable, match=f"There is no key for {name}") as raised:
        await LiteLLMModel(ModelProfile(name)).complete(ASK)
    assert not raised.value.retryable
    assert "API_KEY" in str(raised.value)
    assert "Traceback" not in str(raised.value)


async def test_the_messages_of_a_request_are_not_changed() -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "Hi"}]}
    with serve(Canned(completion())) as server:
        await model("openai/served", server.url).complete(ModelRequest(messages=(message,)))
    assert message == {"role": "user", "content": [{"type": "text", "text": "Hi"}]}


QUIET = """
import asyncio, os
from react_engine.models.base import ModelRequest
from react_engine.models.litellm_client import LiteLLMModel
from react_engine.models.profile import ModelProfile
from react_engine.errors import ModelError
from tests.loopback import Canned, completion, serve
with serve([Canned(completion()), Canned({"error": "broken"}, status=400)]) as server:
    async def main():
        model = LiteLLMModel(ModelProfile("openai/served", api_base=server.url))
        ask = ModelRequest(messages=({"role": "user", "content": "Hi"},))
        assert (await model.complete(ask)).text == "Hello"
        try:
            await model.complete(ask)
        except ModelError as error:
            assert "broken" in str(error)
    asyncio.run(main())
assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
"""


def test_litellm_writes_nothing_to_the_terminal() -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LITELLM")}
    command = [sys.executable, "-c", QUIET]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=clean)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
