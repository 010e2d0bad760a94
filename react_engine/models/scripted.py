"""A model that says what it is told to: a double for tests, demonstrations and replays.

::

    model = ScriptedModel([native_call("add", a=1, b=2), "Final Answer: 3"])

It needs no server and no key, and keeps what it was asked in ``requests``.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import Any

from react_engine.errors import ModelError
from react_engine.models.base import CallDelta, Chunk, ModelRequest, RawCall, Reply
from react_engine.models.profile import ModelProfile

Scripted = str | Reply | BaseException
"""What a scripted model gives: text, a whole reply, or an exception that it raises."""
Answer = Scripted | Callable[[ModelRequest], Scripted | Awaitable[Scripted]]
"""One turn of a script: what to give, or a function of the request that says it."""


_ids = count(1)


def native_call(name: str, /, **arguments: Any) -> Reply:
    """A reply with one native call; its id is new in this process, as a server's would be."""
    return native_calls((name, arguments))


def native_calls(*calls: tuple[str, Mapping[str, Any]], text: str = "") -> Reply:
    """A reply with native calls, given as names with arguments, and ``text`` beside them."""
    raw = [RawCall(f"call_{next(_ids)}", name, json.dumps(given, ensure_ascii=False)) for name, given in calls]
    return Reply(text, tuple(raw), finish_reason="tool_calls")


class ScriptedModel:
    """Gives ``replies`` one after another, whatever it is asked.

    ``replies`` may be any iterable, an endless one too; when it runs out, ``ModelError`` says so. A text is
    a reply that ended with ``stop``. Streams come in pieces of ``chunk_size`` characters; a list of sizes is
    gone through piece by piece, its last one repeated. ``requests`` holds what was asked, in order.
    """

    def __init__(
        self,
        replies: Iterable[Answer] | Answer,
        name: str = "scripted",
        profile: ModelProfile | None = None,
        *,
        chunk_size: int | Iterable[int] = 8,
    ) -> None:
        if isinstance(replies, str | Reply | BaseException) or callable(replies):
            replies = [replies]
        self._replies: Iterator[Answer] = iter(replies)
        self._sizes = (chunk_size,) if isinstance(chunk_size, int) else tuple(chunk_size) or (1,)
        self.profile = profile or ModelProfile(name)
        self.requests: list[ModelRequest] = []

    @property
    def name(self) -> str:
        """The name under which the capability table knows the model."""
        return self.profile.name

    async def complete(self, request: ModelRequest) -> Reply:
        """The next reply of the script; raises its next exception."""
        self.requests.append(request)
        answer = next(self._replies, None)
        if answer is None:
            raise ModelError(
                f"The script of {self.name!r} has no reply number {len(self.requests)}.",
                model=self.name,
                hint="Give ScriptedModel more replies, or fewer turns to its caller.",
            )
        if callable(answer):
            given = answer(request)
            answer = await given if inspect.isawaitable(given) else given
        if isinstance(answer, BaseException):
            raise answer
        return Reply(answer, finish_reason="stop") if isinstance(answer, str) else answer

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """The next reply of the script in pieces: reasoning, text, arguments of calls, and the finish reason last."""
        reply = await self.complete(request)
        sizes = self._endless_sizes()
        for piece in _pieces(reply.reasoning or "", sizes):
            yield Chunk(reasoning=piece)
        for piece in _pieces(reply.text, sizes):
            yield Chunk(piece)
        for index, call in enumerate(reply.calls):
            yield Chunk(calls=(CallDelta(index, call.id, call.name),))
            for piece in _pieces(call.arguments, sizes):
                yield Chunk(calls=(CallDelta(index, arguments=piece),))
        yield Chunk(finish_reason=reply.finish_reason, usage=reply.usage)

    async def aclose(self) -> None:
        """Nothing is open."""

    def _endless_sizes(self) -> Iterator[int]:
        yield from self._sizes
        while True:
            yield self._sizes[-1]


def _pieces(text: str, sizes: Iterator[int]) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = start + max(1, next(sizes))
        yield text[start:end]
        start = end
