"""The engine as a provider of litellm: what litellm calls, in its shapes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from cachetools import LRUCache

from react_engine import portal
from react_engine.errors import (
    ConfigurationError,
    ContextTooLong,
    ModelError,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
)
from react_engine.models.litellm_map import price_of
from react_engine.models.litellm_runtime import load
from react_engine.paths.select import PathChoice
from react_engine.provider.backend import Backend, Piece, stopped_at
from react_engine.provider.request import ChatRequest, read_request
from react_engine.provider.shapes import chunk, final_chunks, first_chunk, response
from react_engine.turn import Turn

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from react_engine.settings import Settings

_MOST_BACKENDS = 64
_MANY_TOOLS = 50  # compiling the schemas of more, seen for the first time, would keep other requests waiting


class Provider:
    """Answers for every model named ``react/…``: the rest of the name is a model as the engine knows it.

    ``settings``: what ``react-engine.toml`` and the environment say, read at the first request unless given.
    ``path`` forces a path. ``repairs``: how often a reply that cannot be read is told to the model, once unless
    ``limits.format_retries`` is set.
    """

    def __init__(
        self, settings: Settings | None = None, *, path: PathChoice | None = None, repairs: int | None = None
    ) -> None:
        super().__init__()
        self._settings, self._repairs = settings, repairs
        self._path: PathChoice | None = path
        self._backends: LRUCache[tuple[str, str | None, str | None], Backend] = LRUCache(_MOST_BACKENDS)

    async def acompletion(self, model: str, messages: list[Any], **given: Any) -> Any:
        """One reply."""
        backend, request = await self._read(model, messages, given)
        try:
            async with asyncio.timeout(_seconds(given)):
                turn = await backend.turn(request)
        except (ModelError, ConfigurationError, TimeoutError) as error:
            raise _told(error, given) from _shown(error)
        return response(given.get("model_response"), model, stopped_at(turn, request.stop))

    async def astreaming(self, model: str, messages: list[Any], **given: Any) -> AsyncIterator[Any]:
        """One reply in pieces. Closing the iterator cancels the request to the model behind."""
        backend, request = await self._read(model, messages, given)
        head = {"id": f"chatcmpl-{uuid4()}", "created": int(time.time()), "model": model}
        begun = False
        pieces = cast("AsyncGenerator[Piece]", backend.stream(request))
        async with aclosing(pieces):
            while True:
                try:
                    async with asyncio.timeout(_seconds(given)):
                        piece = await anext(pieces, None)
                except (ModelError, ConfigurationError, TimeoutError) as error:
                    raise _told(error, given) from _shown(error)
                if piece is None:
                    return
                if not begun:
                    begun = True
                    yield first_chunk(head)
                if isinstance(piece, Turn):
                    for last in final_chunks(head, piece):
                        yield last
                else:
                    yield chunk(head, {"content" if piece[0] == "content" else "reasoning_content": piece[1]})

    def completion(self, model: str, messages: list[Any], **given: Any) -> Any:
        """``acompletion`` for callers that are not async."""
        return portal.call(self.acompletion(model, messages, **given))

    def streaming(self, model: str, messages: list[Any], **given: Any) -> Iterator[Any]:
        """``astreaming`` for callers that are not async."""
        return portal.iterate(self.astreaming(model, messages, **given))

    async def _read(self, model: str, messages: list[Any], given: Mapping[str, Any]) -> tuple[Backend, ChatRequest]:
        parameters = given.get("optional_params") or {}
        tools = parameters.get("tools")
        try:
            if isinstance(tools, list) and len(tools) > _MANY_TOOLS:
                request = await asyncio.to_thread(read_request, messages, parameters)
            else:
                request = read_request(messages, parameters)
            return self._backend(model, given.get("api_base"), given.get("api_key")), request
        except ConfigurationError as error:
            raise _told(error, given) from None

    def _backend(self, model: str, api_base: str | None, api_key: str | None) -> Backend:
        key = (model, api_base or None, api_key or None)
        backend = self._backends.get(key)
        if backend is None:
            backend = self._backends[key] = self._opened(*key)
        return backend

    def _opened(self, name: str, api_base: str | None, api_key: str | None) -> Backend:
        from react_engine.models import open_model
        from react_engine.models.table import table_for
        from react_engine.settings import Settings
        from react_engine.templates import Templates

        if self._settings is None:
            self._settings = Settings.load()
        settings = self._settings
        settings.teach_dialects()
        table = table_for(settings)
        profile = table.profile(name, {"api_base": api_base} if api_base else None)
        choice: PathChoice = self._path or settings.path
        repairs = self._repairs
        if repairs is None:
            repairs = settings.limits.format_retries if "limits.format_retries" in settings.sources else 1
        _tell_price(name)
        return Backend(
            open_model(profile, settings, api_key=api_key),
            profile,
            Templates(settings.language, settings.templates.folder),
            choice=choice,
            repairs=repairs,
            rendering=settings.templates.rendering,
            table=table,
        )


def provider_class() -> Any:
    """``Provider`` as a class that litellm takes. litellm is imported here."""
    return type("ReactLLM", (Provider, load().CustomLLM), {"__doc__": Provider.__doc__})


def _tell_price(name: str) -> None:
    """Let litellm count the money for ``react/NAME`` as for the model behind, so that its budgets hold."""
    litellm, price = load(), price_of(name)
    if price is None or f"react/{name}" in litellm.model_cost:
        return
    entry = {
        "input_cost_per_token": price.prompt,
        "output_cost_per_token": price.completion,
        "cache_read_input_token_cost": price.cached,
        "litellm_provider": "react",
        "mode": "chat",
    }
    litellm.register_model({f"react/{name}": entry})


def _seconds(given: Mapping[str, Any]) -> float | None:
    """The caller's time limit: for a whole reply, or for the silence between two pieces of a streamed one."""
    timeout = given.get("timeout")
    timeout = getattr(timeout, "read", timeout)
    return float(timeout) if isinstance(timeout, int | float) and timeout > 0 else None


def _told(error: Exception, given: Mapping[str, Any]) -> Exception:
    """The error as litellm takes it: it makes the exception for the status, and the proxy the response."""
    status = 400 if isinstance(error, ConfigurationError) else 502
    message = str(error)
    if isinstance(error, TimeoutError):
        status, message = 408, f"No answer within {_seconds(given)} seconds."
    elif isinstance(error, ContextTooLong):
        kind = load("litellm.exceptions").ContextWindowExceededError
        too_long: Exception = kind(message=message, model=error.model, llm_provider="react")
        return too_long
    elif isinstance(error, RateLimited):
        status = 429
    elif isinstance(error, ModelTimeout):
        status = error.status or 504
    elif isinstance(error, ModelUnavailable):  # a key that the server behind refuses is not the client's
        status = error.status if error.status in (404, 429) else 503
    elif isinstance(error, ModelError):
        status = error.status or 502
    made: Exception = load("litellm.llms.custom_llm").CustomLLMError(status, message)
    return made


def _shown(error: Exception) -> Exception | None:
    """The cause, unless its own causes could print a key."""
    return error if error.__cause__ is None else None
