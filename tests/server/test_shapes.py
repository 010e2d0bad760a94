"""The three APIs over HTTP, whole and streamed: what a client is sent for a call and for an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.loopback import Canned, Request, chunks, completion, sse
from tests.served import FREE, FREE_NATIVE, KEY, LOCAL, SCRIPTED, Served, fetch, spoken

PARAMETERS: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FUNCTION: dict[str, Any] = {"name": "get_weather", "description": "Get the weather.", "parameters": PARAMETERS}
CHAT: dict[str, Any] = {
    "messages": [{"role": "user", "content": "What is the weather in Oslo now? Look it up."}],
    "tools": [{"type": "function", "function": FUNCTION}],
}
RESPONSES: dict[str, Any] = {
    "input": "What is the weather in Oslo now? Look it up.",
    "tools": [{"type": "function", **FUNCTION}],
}
MESSAGES: dict[str, Any] = {
    "max_tokens": 200,
    "messages": CHAT["messages"],
    "tools": [{"name": "get_weather", "description": "Get the weather.", "input_schema": PARAMETERS}],
}
TWO = (
    "Thought: Both.\n"
    'Action: get_weather\nAction Input: {"city": "Oslo"}\n'
    'Action: get_weather\nAction Input: {"city": "Bergen, \\"west\\"\\nside"}'
)


def events(served: Served, path: str, body: dict[str, Any]) -> list[Any]:
    """The decoded events of a stream."""
    import httpx

    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    content = json.dumps({**body, "stream": True})
    found = []
    with httpx.stream("POST", served.url + path, content=content, headers=headers, timeout=120, trust_env=False) as got:
        assert got.status_code == 200, got.read()
        for line in got.iter_lines():
            if line.startswith("data: ") and line != "data: [DONE]":
                found.append(json.loads(line[6:]))
    return found


def deltas(found: list[Any]) -> Iterator[dict[str, Any]]:
    for event in found:
        for choice in event["choices"]:
            yield {key: value for key, value in choice["delta"].items() if value is not None}


def joined(found: list[Any]) -> dict[str, Any]:
    """The message that the chunks of a chat stream make, as a client puts it together."""
    made: dict[str, Any] = {"content": "", "reasoning_content": "", "calls": []}
    for delta in deltas(found):
        made["content"] += delta.get("content") or ""
        made["reasoning_content"] += delta.get("reasoning_content") or ""
        for call in delta.get("tool_calls") or ():
            if call["index"] == len(made["calls"]):
                assert call["id"]
                made["calls"].append([call["function"]["name"], ""])
            made["calls"][call["index"]][1] += call["function"]["arguments"]
    return made


def test_a_chat_has_calls_as_from_a_native_model(served: Served) -> None:
    status, body, headers = served.post("/v1/chat/completions", {"model": SCRIPTED, **CHAT})
    choice = body["choices"][0]
    call = choice["message"]["tool_calls"][0]
    assert (status, choice["finish_reason"], choice["message"]["content"]) == (200, "tool_calls", None)
    assert (call["type"], call["function"]) == ("function", {"name": "get_weather", "arguments": '{"city": "Oslo"}'})
    assert choice["message"]["reasoning_content"] == "Known: 0 results. Next: go on."
    assert body["usage"] == {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    assert headers["llm_provider-x-react-engine-path"] == "prompt"


def test_a_streamed_chat_has_its_deltas_in_the_order_that_clients_expect(served: Served) -> None:
    found = events(
        served, "/v1/chat/completions", {"model": SCRIPTED, **CHAT, "stream_options": {"include_usage": True}}
    )
    kinds = []
    for event in found:
        for choice in event["choices"]:
            delta = choice["delta"]
            if delta.get("role"):
                kinds.append("role")
            elif delta.get("reasoning_content"):
                kinds.append("reasoning")
            elif delta.get("tool_calls"):
                kinds.append("name" if delta["tool_calls"][0]["function"].get("name") else "arguments")
            elif choice.get("finish_reason"):
                kinds.append(choice["finish_reason"])
        if event.get("usage"):
            kinds.append("usage")
    assert list(dict.fromkeys(kinds)) == ["role", "reasoning", "name", "arguments", "tool_calls", "usage"]
    assert kinds.count("role") == kinds.count("name") == kinds.count("tool_calls") == 1
    assert found[-1]["usage"]["total_tokens"] == 18
    assert len({event["id"] for event in found}) == 1


@pytest.mark.parametrize("model", [FREE, FREE_NATIVE])
@pytest.mark.parametrize("text", [TWO, "Thought: I know.\nFinal Answer: Sunny – ☀.", "<think>Hm.</think>Just text."])
def test_a_chat_streamed_is_the_chat_whole(served: Served, model: str, text: str) -> None:
    with served.answering(lambda request: _many_tokens(text, request)):
        _, whole, _ = served.post("/v1/chat/completions", {"model": model, **CHAT})
        streamed = joined(events(served, "/v1/chat/completions", {"model": model, **CHAT}))
    message = whole["choices"][0]["message"]
    assert streamed == {
        "content": message["content"] or "",
        "reasoning_content": message.get("reasoning_content") or "",
        "calls": [[c["function"]["name"], c["function"]["arguments"]] for c in message.get("tool_calls") or ()],
    }


def _many_tokens(text: str, request: Request) -> Canned:
    usage = {"prompt_tokens": 900, "completion_tokens": 9, "total_tokens": 909}
    if not request.json().get("stream"):
        return Canned(completion(text) | {"usage": usage})
    pieces = [text[at : at + 5] for at in range(0, len(text), 5)]
    return sse([*chunks(*pieces, usage=False), {"choices": [], "usage": usage}])


def test_responses_have_calls_whole_and_streamed(served: Served) -> None:
    status, body, _ = served.post("/v1/responses", {"model": SCRIPTED, **RESPONSES})
    (call,) = (item for item in body["output"] if item["type"] == "function_call")
    assert (status, call["name"], call["arguments"]) == (200, "get_weather", '{"city": "Oslo"}')
    found = events(served, "/v1/responses", {"model": SCRIPTED, **RESPONSES})
    kinds = [event["type"] for event in found]
    assert (kinds[0], kinds[-1]) == ("response.created", "response.completed")
    (done,) = (event for event in found if event["type"] == "response.function_call_arguments.done")
    assert done["arguments"] == '{"city": "Oslo"}'
    pieces = [event["delta"] for event in found if event["type"] == "response.function_call_arguments.delta"]
    assert "".join(pieces) == '{"city": "Oslo"}'


def test_messages_have_calls_whole_and_streamed(served: Served) -> None:
    status, body, _ = served.post("/v1/messages", {"model": SCRIPTED, **MESSAGES})
    (call,) = (block for block in body["content"] if block["type"] == "tool_use")
    assert (status, call["name"], call["input"], body["stop_reason"]) == (
        200,
        "get_weather",
        {"city": "Oslo"},
        "tool_use",
    )
    found = events(served, "/v1/messages", {"model": SCRIPTED, **MESSAGES})
    begun = [event["content_block"]["type"] for event in found if event["type"] == "content_block_start"]
    assert begun == ["thinking", "tool_use"]
    pieces = [
        event["delta"]["partial_json"]
        for event in found
        if event["type"] == "content_block_delta" and event["delta"]["type"] == "input_json_delta"
    ]
    assert json.loads("".join(pieces)) == {"city": "Oslo"}
    assert found[-2]["delta"]["stop_reason"] == "tool_use"


def test_what_cannot_be_read_is_content_with_the_problem_in_a_field_and_a_header(served: Served) -> None:
    with served.answering(lambda request: spoken("Thought: I could look.", request)) as asked:
        status, body, headers = served.post("/v1/chat/completions", {"model": FREE, **CHAT})
        found = events(served, "/v1/chat/completions", {"model": FREE, **CHAT})
    message = body["choices"][0]["message"]
    assert (status, message["content"], message.get("tool_calls")) == (200, "Thought: I could look.", None)
    assert message["provider_specific_fields"]["react_engine"]["problem"]
    assert headers["llm_provider-x-react-engine-problem"]
    assert len(asked) == 4  # each was mended once
    notes = [delta["provider_specific_fields"] for delta in deltas(found) if "provider_specific_fields" in delta]
    assert notes[-1]["react_engine"]["repairs"] == 1


def test_models_and_health_are_told(served: Served) -> None:
    listed = fetch(f"{served.url}/v1/models", KEY)
    assert [entry["id"] for entry in listed["data"]][:2] == [SCRIPTED, "openai/native"]
    assert set(LOCAL) <= {entry["id"] for entry in listed["data"]}
    assert fetch(f"{served.url}/health/liveliness") == "I'm alive!"
    assert fetch(f"{served.url}/health/readiness")["status"] in ("healthy", "connected")
