"""What the contract of the clients is tested with: requests, faults, and ways to ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from react_engine.errors import (
    ContextTooLong,
    ModelError,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
    ToolsRefused,
)
from react_engine.models.base import Chunk, Model, ModelRequest, Reply, ReplyBuilder
from react_engine.types import Usage
from tests.loopback import CUT, RESET, Canned, only

KEY = "sk-loopback-0123456789abcdef"
ASK = ModelRequest(messages=({"role": "user", "content": "Say hello."},))
TOOL = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Adds.",
        "parameters": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}},
    },
}
ASK_TOOLS = ModelRequest(messages=ASK.messages, tools=(TOOL,), tool_choice="auto", parallel_tool_calls=False)
USAGE = Usage(11, 7)


class Waits:
    """Records the pauses between retries in place of taking them."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


Opener = Callable[..., Model]
"""Opens a model at a loopback server: ``(server, *, key, profile, **options)``."""


def settled(reply: Reply) -> Reply:
    """The reply without its duration."""
    return Reply(reply.text, reply.calls, reply.reasoning, reply.finish_reason, reply.usage)


async def collect(model: Model, request: ModelRequest = ASK) -> Reply:
    builder = ReplyBuilder()
    async for chunk in model.stream(request):
        builder.add(chunk)
    return builder.reply()


async def take(model: Model) -> tuple[list[Chunk], ModelError | None]:
    """The chunks of a stream and the error that ended it."""
    pieces: list[Chunk] = []
    try:
        async for chunk in model.stream(ASK):
            pieces.append(chunk)
    except ModelError as error:
        return pieces, error
    return pieces, None


async def ask(model: Model, request: ModelRequest, *, stream: bool) -> Reply:
    return await collect(model, request) if stream else settled(await model.complete(request))


def refusal(status: int, message: str, **fields: Any) -> Canned:
    return Canned({"error": {"message": message, **fields}}, status=status, headers={"x-request-id": "req_7"})


FAULTS: dict[str, tuple[Canned, type[ModelError], bool]] = {
    "400": (refusal(400, "Bad request."), ModelError, False),
    "401": (refusal(401, f"Incorrect API key provided: {KEY}."), ModelUnavailable, False),
    "403": (refusal(403, "Not for you."), ModelUnavailable, False),
    "404": (refusal(404, "The model 'served' does not exist."), ModelUnavailable, False),
    "408": (refusal(408, "Too slow."), ModelTimeout, True),
    "413 tokens": (refusal(413, "The body is too large."), ContextTooLong, False),
    "422": (refusal(422, "Cannot be processed."), ModelError, False),
    "429": (refusal(429, "Slow down."), RateLimited, True),
    "429 spent": (refusal(429, "You exceeded your current quota.", code="insufficient_quota"), ModelUnavailable, False),
    "500": (refusal(500, "Oops."), ModelError, True),
    "502": (Canned("<html>Bad gateway</html>", status=502), ModelUnavailable, True),
    "503": (refusal(503, "Loading model"), ModelUnavailable, True),
    "504": (refusal(504, "Gateway timeout"), ModelTimeout, True),
    "tools": (refusal(400, "registry/smollm2:135m does not support tools"), ToolsRefused, False),
    "tools at 500": (refusal(500, "tools param requires --jinja flag"), ToolsRefused, False),
    "tools at 404": (refusal(404, "No endpoints found that support tool use."), ToolsRefused, False),
    "context": (refusal(400, "This model's maximum context length is 4096 tokens. However, …"), ContextTooLong, False),
    "context at 500": (refusal(500, "Context size has been exceeded."), ContextTooLong, False),
    "dropped": (only(CUT), ModelError, True),
    "reset": (only(RESET), ModelError, True),
}
