"""The bare clients, and the engine on its own ones: what ``overhead`` measures in this environment.

Every contender does the same five steps. "By hand" is the loop that people write over a client: ask, run the tool,
append, ask again. The engine's own clients are measured without the engine by sending what it would send.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any

from benchmarks.canned_server import MODEL, TASK, TOOL, looked_up
from benchmarks.workbench import Make, Run, work
from react_engine.engine import Engine
from react_engine.events import RunEnded
from react_engine.models.base import Chunk, Model, ModelRequest, Reply, ReplyBuilder
from react_engine.models.http import HttpModel
from react_engine.models.litellm_client import LiteLLMModel
from react_engine.models.profile import ModelProfile
from react_engine.paths.select import PathChoice
from react_engine.tools.function import tool
from react_engine.tools.tool import Tool

Open = Callable[[str], Model]

PARAMETERS = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
FUNCTION = {"name": TOOL, "description": "Look up a word.", "parameters": PARAMETERS}
TOOLS: list[Any] = [{"type": "function", "function": FUNCTION}]


@tool
async def lookup(word: str) -> str:
    """Look up a word."""
    return looked_up(word)


@tool(name=TOOL)
def lookup_in_thread(word: str) -> str:
    """Look up a word."""
    return looked_up(word)


def httpx_by_hand(url: str) -> Run:
    """httpx alone."""
    import httpx

    client = httpx.AsyncClient()

    async def run() -> str:
        messages: list[Any] = [{"role": "user", "content": TASK}]
        while True:
            body = {"model": MODEL, "messages": messages, "tools": TOOLS}
            response = await client.post(f"{url}/v1/chat/completions", json=body)
            message = response.raise_for_status().json()["choices"][0]["message"]
            messages.append(message)
            if not message.get("tool_calls"):
                return str(message["content"])
            for call in message["tool_calls"]:
                text = looked_up(**json.loads(call["function"]["arguments"]))
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})

    return run


def openai_by_hand(url: str) -> Run:
    """The openai SDK."""
    import openai

    client = openai.AsyncOpenAI(api_key="none", base_url=f"{url}/v1")
    return partial(_by_hand, partial(client.chat.completions.create, model=MODEL, tools=TOOLS))


def litellm_by_hand(url: str) -> Run:
    """litellm alone."""
    import litellm

    access = {"model": f"openai/{MODEL}", "api_base": f"{url}/v1", "api_key": "none"}
    return partial(_by_hand, partial(litellm.acompletion, **access, tools=TOOLS))


async def _by_hand(create: Callable[..., Awaitable[Any]]) -> str:
    messages: list[Any] = [{"role": "user", "content": TASK}]
    while True:
        message = (await create(messages=messages)).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return str(message.content)
        for call in message.tool_calls:
            text = looked_up(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": text})


def lean(url: str) -> Model:
    """The engine's client for servers at a known address."""
    return HttpModel(ModelProfile(MODEL, api_base=url))


def through_litellm(url: str) -> Model:
    """The engine's client for everything else."""
    return LiteLLMModel(ModelProfile(MODEL, served_name=f"openai/{MODEL}", api_base=f"{url}/v1"))


def engine_on(model: Model, path: PathChoice, of: Tool = lookup) -> Engine:
    """An engine as an application has it: made once, for many runs."""
    return Engine(model, [of], path=path, record=ModelProfile(MODEL))


class Recording:
    """A model that notes what it is asked."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.name = model.name
        self.requests: list[ModelRequest] = []

    async def complete(self, request: ModelRequest) -> Reply:
        """The reply of the model."""
        self.requests.append(request)
        return await self._model.complete(request)

    def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """The reply of the model, in pieces."""
        return self._model.stream(request)

    async def aclose(self) -> None:
        """Release the connections of the model."""
        await self._model.aclose()


async def whole(model: Model, request: ModelRequest) -> Reply:
    """A reply at once."""
    return await model.complete(request)


async def streamed(model: Model, request: ModelRequest) -> Reply:
    """A reply in pieces, put together."""
    builder = ReplyBuilder()
    async for chunk in model.stream(request):
        builder.add(chunk)
    return builder.reply()


def client_alone(
    opened: Open, path: PathChoice, ask: Callable[[Model, ModelRequest], Awaitable[Reply]] = whole
) -> Make:
    """The requests of the engine, without the engine."""

    def make(url: str) -> Run:
        model, asked = opened(url), Recording(opened(url))

        async def run() -> str:
            if not asked.requests:
                await engine_on(asked, path).arun(TASK)
            replies = [await ask(model, request) for request in asked.requests]
            return replies[-1].text

        return run

    return make


def engine(opened: Open, path: PathChoice, of: Tool = lookup) -> Make:
    """``Engine.arun``."""

    def make(url: str) -> Run:
        ready = engine_on(opened(url), path, of)

        async def run() -> str:
            return str((await ready.arun(TASK)).answer)

        return run

    return make


def engine_streamed(opened: Open, path: PathChoice) -> Make:
    """``Engine.astream``."""

    def make(url: str) -> Run:
        ready = engine_on(opened(url), path)

        async def run() -> str:
            events = [event async for event in ready.astream(TASK)]
            return str(events[-1].run.answer if isinstance(events[-1], RunEnded) else events[-1])

        return run

    return make


def engine_sync(opened: Open, path: PathChoice) -> Make:
    """``Engine.run``."""

    def make(url: str) -> Run:
        ready = engine_on(opened(url), path)
        return lambda: str(ready.run(TASK).answer)

    return make


CONTENDERS: dict[str, Make] = {
    "httpx": httpx_by_hand,
    "openai": openai_by_hand,
    "litellm": litellm_by_hand,
    "http native": client_alone(lean, "native"),
    "http prompt": client_alone(lean, "prompt"),
    "http native streamed": client_alone(lean, "native", streamed),
    "http prompt streamed": client_alone(lean, "prompt", streamed),
    "litellm native": client_alone(through_litellm, "native"),
    "litellm prompt": client_alone(through_litellm, "prompt"),
    "engine http native": engine(lean, "native"),
    "engine http prompt": engine(lean, "prompt"),
    "engine http native streamed": engine_streamed(lean, "native"),
    "engine http prompt streamed": engine_streamed(lean, "prompt"),
    "engine http native sync": engine_sync(lean, "native"),
    "engine http native thread": engine(lean, "native", lookup_in_thread),
    "engine litellm native": engine(through_litellm, "native"),
    "engine litellm prompt": engine(through_litellm, "prompt"),
}

if __name__ == "__main__":
    work(CONTENDERS)
