"""A backend in front of a scripted model, asked in OpenAI's terms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from msgspec import structs

from react_engine.models.base import Reply
from react_engine.models.profile import ModelProfile
from react_engine.models.scripted import ScriptedModel
from react_engine.provider.backend import Backend, Piece, stopped_at
from react_engine.provider.request import read_request
from react_engine.templates import Templates
from react_engine.turn import Turn
from react_engine.types import Usage

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the weather.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
}
ADD = {
    "type": "function",
    "function": {
        "name": "add",
        "parameters": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}},
    },
}
TOOLS = [WEATHER, ADD]
ASKED = [{"role": "user", "content": "What is the weather in Oslo?"}]
CALL = 'Thought: I look.\nAction: get_weather\nAction Input: {"city": "Oslo"}'


def spoken(text: str, finish: str = "stop", tokens: int = 500) -> Reply:
    """A reply in text with a count of tokens."""
    return Reply(text, finish_reason=finish, usage=Usage(tokens, tokens))


def backend(*replies: Any, native: bool = False, repairs: int = 1, **profile: Any) -> tuple[Backend, ScriptedModel]:
    """A backend and the scripted model that answers for it."""
    record = ModelProfile("m", function_calling=native, client="http", api_base="http://x", **profile)
    model = ScriptedModel(replies, profile=record, chunk_size=3)
    return Backend(model, record, Templates(), repairs=repairs), model


async def turn_of(made: Backend, messages: Iterable[Any] = ASKED, tools: Any = TOOLS, **parameters: Any) -> Turn:
    """A whole turn."""
    request = read_request(list(messages), {"tools": tools, **parameters})
    return stopped_at(await made.turn(request), request.stop)


async def pieces_of(
    made: Backend, messages: Iterable[Any] = ASKED, tools: Any = TOOLS, **parameters: Any
) -> tuple[str, str, Turn]:
    """A streamed turn: its content, its reasoning, and what it ended in."""
    request = read_request(list(messages), {"tools": tools, **parameters})
    pieces: list[Piece] = [piece async for piece in made.stream(request)]
    turn = pieces.pop()
    assert isinstance(turn, Turn)
    told = [piece for piece in pieces if isinstance(piece, tuple)]
    assert len(told) == len(pieces)
    content = "".join(text for kind, text in told if kind == "content")
    return content, "".join(text for kind, text in told if kind == "reasoning"), turn


def without_ids(turn: Turn) -> Turn:
    """A turn to compare: ids are new each time, and offsets are of the text."""
    return replace(
        turn, calls=tuple(structs.replace(call, id="", raw="", span=None, tolerances=()) for call in turn.calls)
    )
