"""The smallest model behind the server: held to the form, it makes the right call through each API, streamed and not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.served import LOCAL, Served
from tests.server.test_shapes import FUNCTION, events, joined

pytestmark = pytest.mark.local_model
MODEL = LOCAL[2]
NOTE: dict[str, Any] = {
    "name": "save_note",
    "description": "Save a note.",
    "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}
TASKS = pytest.mark.parametrize(
    ("tools", "asked", "called"),
    [
        ([FUNCTION], "What is the weather in Oslo now? Look it up.", ("get_weather", {"city": "Oslo"})),
        ([FUNCTION, NOTE], "What is the weather in Lima?", ("get_weather", {"city": "Lima"})),
        ([FUNCTION, NOTE], "Save the note 'buy milk'.", ("save_note", {"text": "buy milk"})),
    ],
    ids=["one tool", "the first of two", "the second of two"],
)


@TASKS
def test_a_chat_has_the_right_call(
    served: Served, tools: list[dict[str, Any]], asked: str, called: tuple[str, dict[str, Any]]
) -> None:
    body = {
        "model": MODEL,
        "temperature": 0,
        "messages": [{"role": "user", "content": asked}],
        "tools": [{"type": "function", "function": tool} for tool in tools],
        "tool_choice": "required",
    }
    status, whole, _ = served.post("/v1/chat/completions", body)
    assert status == 200, whole
    (call,) = whole["choices"][0]["message"]["tool_calls"]
    assert (call["function"]["name"], json.loads(call["function"]["arguments"])) == called
    ((name, arguments),) = joined(events(served, "/v1/chat/completions", body))["calls"]
    assert (name, json.loads(arguments)) == called


@TASKS
def test_a_response_has_the_right_call(
    served: Served, tools: list[dict[str, Any]], asked: str, called: tuple[str, dict[str, Any]]
) -> None:
    tools = [{"type": "function", **tool} for tool in tools]
    body = {"model": MODEL, "temperature": 0, "input": asked, "tools": tools, "tool_choice": "required"}
    status, whole, _ = served.post("/v1/responses", body)
    assert status == 200, whole
    (call,) = (item for item in whole["output"] if item["type"] == "function_call")
    assert (call["name"], json.loads(call["arguments"])) == called
    found = events(served, "/v1/responses", body)
    (done,) = (event for event in found if event["type"] == "response.function_call_arguments.done")
    assert json.loads(done["arguments"]) == called[1]


@TASKS
def test_a_message_has_the_right_call(
    served: Served, tools: list[dict[str, Any]], asked: str, called: tuple[str, dict[str, Any]]
) -> None:
    body = {
        "model": MODEL,
        "temperature": 0,
        "max_tokens": 200,
        "messages": [{"role": "user", "content": asked}],
        "tools": [
            {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}
            for tool in tools
        ],
        "tool_choice": {"type": "any"},
    }
    status, whole, _ = served.post("/v1/messages", body)
    assert status == 200, whole
    (call,) = (block for block in whole["content"] if block["type"] == "tool_use")
    assert (call["name"], call["input"]) == called
    found = events(served, "/v1/messages", body)
    written = "".join(
        event["delta"].get("partial_json", "") for event in found if event["type"] == "content_block_delta"
    )
    assert json.loads(written) == called[1]
