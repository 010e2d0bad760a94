"""The SDKs of OpenAI and Anthropic, streamed and asynchronous: their own accumulators see the same calls as whole replies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.served import ANSWER, KEY, LOCAL, NATIVE, SCRIPTED, Served
from tests.server.test_shapes import CHAT, MESSAGES, RESPONSES

openai = pytest.importorskip("openai", reason="react-engine[clients] is not installed")
anthropic = pytest.importorskip("anthropic", reason="react-engine[clients] is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince20", "ignore::UserWarning")
MODELS = pytest.mark.parametrize(
    "model", [SCRIPTED, NATIVE, pytest.param(LOCAL[0], marks=[pytest.mark.local_model, pytest.mark.slow])]
)
OSLO = ("get_weather", {"city": "Oslo"})


def fitting(request: dict[str, Any], model: str) -> dict[str, Any]:
    """The request; a real model is asked for the same words each time."""
    return {"model": model, **request, **({"extra_body": {"temperature": 0}} if model.startswith("local/") else {})}


@MODELS
def test_a_chat_streamed_has_the_calls_of_the_whole(served: Served, model: str) -> None:
    with openai.OpenAI(base_url=f"{served.url}/v1", api_key=KEY) as client:
        whole = client.chat.completions.create(**fitting(CHAT, model)).choices[0].message
        with client.chat.completions.stream(**fitting(CHAT, model)) as stream:
            streamed = stream.get_final_completion().choices[0]
    (call,), (other,) = whole.tool_calls, streamed.message.tool_calls
    assert (call.function.name, json.loads(call.function.arguments)) == OSLO
    assert (other.function.name, json.loads(other.function.arguments)) == OSLO
    assert streamed.finish_reason == "tool_calls"


@MODELS
@pytest.mark.anyio
async def test_responses_streamed_have_the_calls_of_the_whole(served: Served, model: str) -> None:
    async with openai.AsyncOpenAI(base_url=f"{served.url}/v1", api_key=KEY) as client:
        whole = await client.responses.create(**fitting(RESPONSES, model))
        async with client.responses.stream(**fitting(RESPONSES, model)) as stream:
            found = [event async for event in stream]
    (call,) = (item for item in whole.output if item.type == "function_call")
    (done,) = (event for event in found if event.type == "response.function_call_arguments.done")
    assert (call.name, json.loads(call.arguments)) == OSLO
    assert json.loads(done.arguments) == OSLO[1]
    assert found[-1].type == "response.completed"


@MODELS
def test_messages_streamed_have_the_calls_of_the_whole(served: Served, model: str) -> None:
    with anthropic.Anthropic(base_url=served.url, api_key=KEY) as client:
        whole = client.messages.create(**fitting(MESSAGES, model))
        with client.messages.stream(**fitting(MESSAGES, model)) as stream:
            streamed = stream.get_final_message()
    for message in (whole, streamed):
        (call,) = (block for block in message.content if block.type == "tool_use")
        assert (call.name, call.input, message.stop_reason) == (*OSLO, "tool_use")


@pytest.mark.anyio
async def test_an_answer_is_streamed_piece_by_piece_without_markup(served: Served) -> None:
    calls = [("c1", "get_weather", '{"city": "Oslo"}', "7 degrees"), ("c2", "to_fahrenheit", '{"celsius": 7}', "44.6")]
    messages = list(CHAT["messages"])
    for call_id, name, arguments, result in calls:
        call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call_id, "content": result})
    async with openai.AsyncOpenAI(base_url=f"{served.url}/v1", api_key=KEY) as client:
        stream = await client.chat.completions.create(
            model=SCRIPTED, messages=messages, tools=CHAT["tools"], stream=True
        )
        pieces = [chunk.choices[0].delta.content async for chunk in stream if chunk.choices]
    said = [piece for piece in pieces if piece]
    assert "".join(said) == ANSWER
    assert len(said) > 1


def test_what_is_wrong_with_a_request_is_the_sdks_own_exception(served: Served) -> None:
    with openai.OpenAI(base_url=f"{served.url}/v1", api_key=KEY, max_retries=0) as client:
        with pytest.raises(openai.BadRequestError, match="n: one choice"):
            client.chat.completions.create(model=SCRIPTED, n=2, **CHAT)
        with pytest.raises(openai.BadRequestError, match="nope"):
            client.chat.completions.create(model="nope", **CHAT)


def test_a_wrong_key_is_the_sdks_own_exception(served: Served) -> None:
    chat = openai.OpenAI(base_url=f"{served.url}/v1", api_key="sk-wrong", max_retries=0)
    with chat, pytest.raises(openai.AuthenticationError):
        chat.chat.completions.create(model=SCRIPTED, **CHAT)
    messages = anthropic.Anthropic(base_url=served.url, api_key="sk-wrong", max_retries=0)
    with messages, pytest.raises(anthropic.AuthenticationError):
        messages.messages.create(model=SCRIPTED, **MESSAGES)
