"""The seam between the engine and whoever answers: one request, one reply, one Protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from react_engine.types import Usage

WireMessage = Mapping[str, Any]
"""One message in the shape of OpenAI's chat completions."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What a path asks of a model, in the terms of OpenAI's chat completions.

    A base model is asked with ``prompt`` and no ``messages``. ``sampling`` holds temperature,
    max_tokens, top_p, seed and the like, by the names of that API; ``extra`` goes into the request
    body as it is (a grammar, ``cache_prompt``). A client whose server does not take ``stop`` leaves
    it out: the reader cuts the reply anyway.
    """

    messages: tuple[WireMessage, ...] = ()
    prompt: str | None = None
    tools: tuple[Mapping[str, Any], ...] = ()
    tool_choice: str | Mapping[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    stop: tuple[str, ...] = ()
    sampling: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RawCall:
    """A native call as the server sent it: ``arguments`` is text, usually JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model sent back, before anything is read out of it.

    ``finish_reason`` is as the server gave it (``stop``, ``length``, ``tool_calls``, …, or None).
    ``elapsed`` is in seconds. ``alternatives`` are the first tokens that were likely, with their log-probabilities,
    where they were asked for and the server gives them.
    """

    text: str = ""
    calls: tuple[RawCall, ...] = ()
    reasoning: str | None = None
    finish_reason: str | None = None
    usage: Usage = Usage()
    elapsed: float = 0.0
    alternatives: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class CallDelta:
    """A piece of a native call: pieces with one ``index`` belong together, in order."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a streamed reply. ``usage`` comes with the last one, if the server sends it."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[CallDelta, ...] = ()
    finish_reason: str | None = None
    usage: Usage | None = None


@runtime_checkable
class Model(Protocol):
    """Whoever answers. Both methods raise ``ModelError`` and nothing else on failure."""

    @property
    def name(self) -> str:
        """The name under which the capability table knows the model."""
        ...

    async def complete(self, request: ModelRequest) -> Reply:
        """The whole reply to one request."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """The reply in pieces. Closing the iterator cancels the request."""
        ...

    async def aclose(self) -> None:
        """Release connections. The model can be used again afterwards."""
        ...


class ReplyBuilder:
    """Collects the chunks of a stream into the reply that ``complete`` would have given."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: dict[int, list[list[str]]] = {}
        self._finish: str | None = None
        self._usage = Usage()

    def add(self, chunk: Chunk) -> None:
        """Take in the next chunk."""
        if chunk.text:
            self._text.append(chunk.text)
        if chunk.reasoning:
            self._reasoning.append(chunk.reasoning)
        for delta in chunk.calls:
            ids, names, arguments = self._calls.setdefault(delta.index, [[], [], []])
            if delta.id and not ids:  # some servers repeat the id with every piece
                ids.append(delta.id)
            if delta.name and delta.name not in names:
                names.append(delta.name)
            arguments.append(delta.arguments)
        self._finish = chunk.finish_reason or self._finish
        self._usage = chunk.usage or self._usage

    def reply(self, elapsed: float = 0.0) -> Reply:
        """The reply so far."""
        calls = tuple(
            RawCall("".join(ids), "".join(names), "".join(arguments))
            for _, (ids, names, arguments) in sorted(self._calls.items())
        )
        reasoning = "".join(self._reasoning) or None
        return Reply("".join(self._text), calls, reasoning, self._finish, self._usage, elapsed)
