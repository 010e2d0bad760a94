"""A client for every provider that litellm knows, behind the same seam as the lean one.

litellm is imported at the first request, in a thread: it takes seconds. Unless the user has set
``LITELLM_LOCAL_MODEL_COST_MAP`` or ``LITELLM_LOG``, it is kept from fetching its price list over the
network and from writing to the terminal.

Names that reach a server of one's own, with ``api_base``:

============================  =================================================================
``openai/NAME``               any server that speaks OpenAI's format; so do ``hosted_vllm/NAME``,
                              ``lm_studio/NAME``, ``llamafile/NAME`` and ``custom_openai/NAME``
``ollama_chat/NAME``          Ollama's own ``/api/chat``, with its tool calls
``ollama/NAME``               Ollama's ``/api/generate``: litellm writes tools into the prompt by
                              itself there, so the native path is not native
``text-completion-openai/X``  ``/completions`` of such a server, for base models; ``openai/`` and
                              ``hosted_vllm/`` reach it too, ``lm_studio/`` does not
============================  =================================================================

``api_base`` is used as it stands, except that a bare host gets ``/v1`` where the server speaks OpenAI's
format. Nothing is dropped silently: litellm's ``drop_params`` stays off, so that a parameter that the
provider does not take is an error which names it, and a model that takes no tools is noticed.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from react_engine.errors import ModelError
from react_engine.models.address import base_address, shown_address
from react_engine.models.base import Chunk, ModelRequest, Reply
from react_engine.models.completion import chunk_of, reply_of, request_parameters, without_prefill
from react_engine.models.connection import PerLoop
from react_engine.models.failures import Endpoint, cut_off, timed_out, unreadable
from react_engine.models.litellm_failures import as_model_error, links
from react_engine.models.litellm_map import price_of
from react_engine.models.litellm_runtime import clients, loaded
from react_engine.models.profile import ModelProfile
from react_engine.models.retry import Sleep, streamed, with_retries
from react_engine.models.stream import CallIndex
from react_engine.types import Usage

OPENAI_SHAPED = frozenset(
    {"openai", "hosted_vllm", "lm_studio", "llamafile", "custom_openai", "text-completion-openai"}
)
"""Prefixes of litellm's names behind which any server may stand that speaks OpenAI's format."""
_NO_KEY = "none"


class LiteLLMModel:
    """A model reached through litellm; ``profile.served_name``, or else its name, is litellm's name for it.

    ``api_key`` defaults to the environment variable ``profile.api_key_env``; without either litellm looks
    for the provider's own variable. A server of one's own (``api_base`` with an OpenAI-shaped prefix) is
    never sent the key of another provider that happens to be in the environment. ``timeout`` is in seconds:
    for a whole reply, and for the silence between two pieces of a streamed one. Transient failures are
    tried ``max_retries`` times more, with waits by ``sleep``; the retries of litellm and of the SDKs below
    it are off.
    """

    def __init__(
        self,
        profile: ModelProfile,
        *,
        api_key: str | None = None,
        timeout: float = 120.0,
        max_retries: int = 2,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        if api_key is None and profile.api_key_env:
            api_key = os.environ.get(profile.api_key_env)
        self.profile = profile
        self._model = profile.served_name or profile.name
        base, key = _api_base(profile, self._model), (api_key or "").strip()
        shown = shown_address(urlsplit(base)) if base else ""
        self._endpoint = Endpoint(profile.name, shown, profile.api_key_env or "", key)
        self._timeout = timeout
        self._retries = max_retries
        self._sleep = sleep
        self._asks_usage = True
        self._access = access = _access(base, key, self._model)
        self._text_clients = PerLoop(lambda: _TextClient(access))

    def __repr__(self) -> str:
        return f"LiteLLMModel({self.profile.name!r}, {self._endpoint.url!r})"

    @property
    def name(self) -> str:
        """The name under which the capability table knows the model."""
        return self.profile.name

    async def complete(self, request: ModelRequest) -> Reply:
        """The whole reply to one request. Raises ``ModelError`` and nothing else on failure."""
        reply = await with_retries(lambda: self._ask(request), self._retries, self._sleep)
        return without_prefill(reply, request)

    def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """The reply in pieces, none of them empty. Raises ``ModelError`` and nothing else on failure.

        Closing the iterator cancels the request.
        """
        return streamed(lambda: self._begin(request), self._retries, self._sleep)

    async def aclose(self) -> None:
        """Nothing to wait for: litellm shares its connections, which are closed when the event loop shuts down."""
        await self._text_clients.aclose()

    async def _ask(self, request: ModelRequest) -> Reply:
        litellm = await loaded()
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self._timeout):
                response = await self._call(litellm, request, stream=False)
        except TimeoutError as error:
            raise timed_out(self._endpoint, self._timeout) from error
        body = _body(response)
        reply = reply_of(body, time.perf_counter() - started)
        if reply is None:
            raise unreadable("Expected a reply with choices", str(body), self._endpoint)
        return replace(reply, usage=self._priced(reply.usage, response))

    async def _begin(self, request: ModelRequest) -> tuple[Chunk, AsyncGenerator[Chunk, None]] | None:
        """The first chunk of a stream and the rest; None for a stream without any."""
        asked = self._asks_usage
        chunks = self._chunks(request)
        try:
            return await anext(chunks), chunks
        except StopAsyncIteration:
            return None
        except ModelError as error:
            if error.refused != "stream_options" or not asked:
                raise
            self._asks_usage = False
        return await self._begin(request)

    async def _chunks(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        response = await self._call(await loaded(), request, stream=True)
        index, end, characters, seen = CallIndex(), Chunk(), 0, False
        try:
            while (piece := await self._next(response)) is not None:
                chunk = chunk_of(_body(piece))
                usage = self._priced(chunk.usage, piece) if chunk.usage else end.usage
                end = Chunk(finish_reason=chunk.finish_reason or end.finish_reason, usage=usage)
                said = Chunk(chunk.text, chunk.reasoning, tuple(map(index.place, chunk.calls)))
                if said != Chunk():
                    seen = True
                    characters += len(said.text) + len(said.reasoning)
                    yield said
        finally:
            if close := getattr(response, "aclose", None):
                await close()
        if end.finish_reason is None or not (seen or end.usage):  # litellm ends a stream of nothing with "stop"
            raise cut_off(self._endpoint, characters)
        yield end

    async def _call(self, litellm: Any, request: ModelRequest, *, stream: bool) -> Any:
        await clients.get()
        arguments = self._arguments(request, stream=stream)
        try:
            if "prompt" not in arguments:
                return await litellm.acompletion(**arguments)
            if _prefix(self._model) in OPENAI_SHAPED:
                arguments["client"] = (await self._text_clients.get()).client
            return await litellm.atext_completion(**arguments)
        except Exception as error:  # noqa: BLE001 - litellm lets its own, the SDKs' and plain exceptions through
            raise as_model_error(error, self._endpoint, self._timeout) from self._shown(error)

    async def _next(self, response: Any) -> Any:
        try:
            return await anext(response)
        except StopAsyncIteration:
            return None
        except Exception as error:  # noqa: BLE001 - as above
            raise as_model_error(error, self._endpoint, self._timeout) from self._shown(error)

    def _shown(self, error: Exception) -> Exception | None:
        """The exception as a cause, unless a traceback would print the key with it."""
        return None if any(self._endpoint.leaks(str(link)) for link in links(error)) else error

    def _arguments(self, request: ModelRequest, *, stream: bool) -> dict[str, Any]:
        arguments: dict[str, Any] = _plain(request_parameters(replace(request, extra={}), self.profile))
        arguments |= {"model": self._model, "timeout": self._timeout, "max_retries": 0, "num_retries": 0}
        if request.extra:  # other providers than OpenAI-shaped ones get it through litellm's own arguments
            extra = _plain(request.extra)
            arguments |= {"extra_body": extra} if _prefix(self._model) in OPENAI_SHAPED else extra
        arguments |= self._access
        if stream:
            arguments["stream"] = True
            if self._asks_usage:
                arguments["stream_options"] = {"include_usage": True}
        return arguments

    def _priced(self, usage: Usage, response: Any) -> Usage:
        hidden = getattr(response, "_hidden_params", None)
        cost = hidden.get("response_cost") if isinstance(hidden, Mapping) else None
        if not isinstance(cost, int | float):
            price = price_of(self._model)
            cost = price.cost(usage) if price and usage.total_tokens else None
        return replace(usage, cost=cost)


def _access(base: str, key: str, model: str) -> dict[str, str]:
    """Address and key as litellm takes them; a server of one's own gets a placeholder where there is no key."""
    access = {"api_base": base} if base else {}
    if key or (base and _prefix(model) in OPENAI_SHAPED):
        access["api_key"] = key or _NO_KEY
    return access


class _TextClient:
    """An SDK client for text completions, for which litellm would open a new one at each request and leave it."""

    def __init__(self, access: Mapping[str, str]) -> None:
        import openai

        self.client = openai.AsyncOpenAI(api_key=access.get("api_key"), base_url=access.get("api_base"), max_retries=0)

    async def aclose(self) -> None:
        """Close its connections."""
        await self.client.close()


def _body(response: Any) -> dict[str, Any]:
    return {"choices": _plain(getattr(response, "choices", None)), "usage": _plain(getattr(response, "usage", None))}


def _plain(value: Any) -> Any:
    """Dicts, lists and scalars out of mappings, sequences and litellm's pydantic objects (whose own dump warns)."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    fields = {**getattr(value, "__dict__", {}), **(getattr(value, "__pydantic_extra__", None) or {})}
    return {key: _plain(item) for key, item in fields.items() if not key.startswith("_")}


def _prefix(model: str) -> str:
    return model.partition("/")[0]


def _api_base(profile: ModelProfile, model: str) -> str:
    if not profile.api_base:
        return ""
    bare = urlsplit(profile.api_base if "://" in profile.api_base else f"http://{profile.api_base}")
    if _prefix(model) in OPENAI_SHAPED and bare.path in ("", "/"):
        return base_address(profile).geturl()
    return bare.geturl().rstrip("/")
