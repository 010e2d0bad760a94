"""A loopback server with canned replies, in a process of its own: four calls of one tool, then the answer.

It keeps no state of a run: the next reply follows from the words that a request holds already, whatever form the
client gives its history. Requests with ``tools`` get native calls, others ReAct text; with ``stream`` in pieces.
``GET /count`` tells how many requests were answered.

    python -m benchmarks.canned_server        prints its address
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import ProxyHandler, build_opener

from benchmarks.canned_connection import event_stream, json_response, serve, started

MODEL = "canned"
TOOL = "lookup"
TASK = "Look up four words, one after another, then answer."
WORDS = ("vexil", "quorm", "zantar", "brolth")
ANSWER = "All four words are known."
PIECE = 4
"""Characters of a streamed piece: about one token."""


def looked_up(word: str) -> str:
    """What the tool of every contender does."""
    return f"{word} is known"


def _message(step: int, native: bool) -> dict[str, Any]:
    if step == len(WORDS):
        return {"role": "assistant", "content": ANSWER if native else f"Thought: I know all.\nFinal Answer: {ANSWER}"}
    arguments = json.dumps({"word": WORDS[step]})
    if not native:
        thought = f"Thought: I look up {WORDS[step]}."
        return {"role": "assistant", "content": f"{thought}\nAction: {TOOL}\nAction Input: {arguments}"}
    call = {"id": f"call{step:05d}", "type": "function", "function": {"name": TOOL, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _body(kind: str, choice: dict[str, Any], usage: dict[str, int] | None = None) -> bytes:
    head = {"id": "chatcmpl-1", "object": kind, "created": 1_700_000_000, "model": MODEL}
    return json.dumps({**head, "choices": [{"index": 0, **choice}], **({"usage": usage} if usage else {})}).encode()


def _whole(message: dict[str, Any]) -> bytes:
    finish = "tool_calls" if "tool_calls" in message else "stop"
    usage = {"prompt_tokens": 400, "completion_tokens": 30, "total_tokens": 430}
    body = _body("chat.completion", {"message": message, "finish_reason": finish}, usage)
    return json_response(body)


def _streamed(message: dict[str, Any]) -> list[bytes]:
    """The writes of a streamed reply: the head, an event for each piece, the end."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": "" if message["content"] else None}]
    deltas += [{"content": piece} for piece in _pieces(message["content"] or "")]
    for call in message.get("tool_calls", ()):
        function = {"name": call["function"]["name"], "arguments": ""}
        deltas.append({"tool_calls": [{"index": 0, **call, "function": function}]})
        arguments = _pieces(call["function"]["arguments"])
        deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in arguments]
    events = [_body("chat.completion.chunk", {"delta": delta, "finish_reason": None}) for delta in deltas]
    finish = "tool_calls" if "tool_calls" in message else "stop"
    events += [_body("chat.completion.chunk", {"delta": {}, "finish_reason": finish}), b"[DONE]"]
    return event_stream(events)


def _pieces(text: str) -> list[str]:
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


_MESSAGES = {(step, native): _message(step, native) for step in range(len(WORDS) + 1) for native in (True, False)}
_WHOLE = {key: [_whole(message)] for key, message in _MESSAGES.items()}
_STREAMED = {key: _streamed(message) for key, message in _MESSAGES.items()}


def reply_to(body: bytes) -> list[bytes]:
    """What is written for a request."""
    request = json.loads(body)
    step = next((step for step, word in enumerate(WORDS) if word.encode() not in body), len(WORDS))
    return (_STREAMED if request.get("stream") else _WHOLE)[step, bool(request.get("tools"))]


_counted = 0


def _counting(body: bytes) -> list[bytes]:
    global _counted
    _counted += 1
    return reply_to(body)


def _count() -> bytes:
    return json.dumps({"count": _counted}).encode()


@contextmanager
def served() -> Iterator[str]:
    """The address of a server that runs until the block ends."""
    with started("benchmarks.canned_server") as url:
        yield url


def answered(url: str) -> int:
    """How many requests the server has answered."""
    with build_opener(ProxyHandler({})).open(f"{url}/count") as response:
        return int(json.load(response)["count"])


if __name__ == "__main__":
    asyncio.run(serve(_counting, _count))
