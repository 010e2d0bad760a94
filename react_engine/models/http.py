"""A lean client for servers that speak OpenAI's chat completions at a known address.

llama.cpp, vLLM, SGLang, Ollama, LM Studio and their like, over httpx. What every request needs is prepared
once: addresses, headers, connection. httpx is imported when the first request is sent.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from base64 import b64encode
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, unquote

from react_engine.errors import ConfigurationError, ModelError, ModelUnavailable
from react_engine.models.address import base_address, shown_address
from react_engine.models.base import Chunk, ModelRequest, Reply, ReplyBuilder
from react_engine.models.completion import asks_for_text, reply_of, request_parameters, without_prefill
from react_engine.models.connection import Lanes, PerLoop
from react_engine.models.failures import (
    Endpoint,
    fault_in,
    from_fault,
    from_response,
    from_transport,
    timed_out,
    unreadable,
)
from react_engine.models.profile import ModelProfile
from react_engine.models.retry import Sleep, streamed, with_retries
from react_engine.models.stream import ChunkReader

if TYPE_CHECKING:
    import httpx

CONNECT_TIMEOUT = 10.0
LISTING_TIMEOUT = 2.0


class HttpModel:
    """A model behind an OpenAI-compatible server, at ``profile.api_base``.

    ``api_base`` may end in ``/v1`` or not, or be the whole address of the endpoint. ``api_key`` defaults to
    the environment variable ``profile.api_key_env``. ``timeout`` is in seconds: for a whole reply, and for
    the silence between two pieces of a streamed one. Transient failures are tried ``max_retries`` times
    more, with waits by ``sleep``; a stream only until its first piece was handed on. ``transport`` replaces
    the network (httpx's own transports fit) and is closed with the event loop.

    One object serves any number of requests at once, and event loop after event loop. Raises
    ``ConfigurationError`` for an address or key that cannot be used.
    """

    def __init__(
        self,
        profile: ModelProfile,
        *,
        api_key: str | None = None,
        timeout: float = 120.0,
        max_retries: int = 2,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        if api_key is None and profile.api_key_env:
            api_key = os.environ.get(profile.api_key_env)
        key = (api_key or "").strip()
        self.profile = profile
        self._base = base = base_address(profile)
        self._endpoint = Endpoint(profile.name, shown_address(base), profile.api_key_env or "", key)
        self._headers = _headers(profile, base, key)
        self._served = profile.served_name or profile.name
        self._timeout = timeout
        self._retries = max_retries
        self._sleep = sleep
        self._connections = PerLoop(lambda: Lanes(base, transport))
        self._prepared: dict[str, tuple[httpx.URL, list[tuple[bytes, bytes]]]] = {}
        self._asks_usage = True

    def __repr__(self) -> str:
        return f"HttpModel({self.profile.name!r}, {self._endpoint.url!r})"

    @property
    def name(self) -> str:
        """The name under which the capability table knows the model."""
        return self.profile.name

    async def complete(self, request: ModelRequest) -> Reply:
        """The whole reply to one request. Raises ``ModelError`` and nothing else on failure."""
        path, content = self._path(request), self._encode(request)
        reply = await with_retries(lambda: self._ask(path, content), self._retries, self._sleep)
        return without_prefill(reply, request)

    def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """The reply in pieces, none of them empty. Raises ``ModelError`` and nothing else on failure.

        Closing the iterator cancels the request.
        """
        return streamed(lambda: self._begin(request), self._retries, self._sleep)

    async def aclose(self) -> None:
        """Close the connections of the running event loop. The model can be used again afterwards."""
        await self._connections.aclose()

    async def _ask(self, path: str, content: bytes) -> Reply:
        import httpx

        started = time.perf_counter()
        try:
            async with asyncio.timeout(self._timeout):
                async with self._exchange("POST", path, content, self._timeout) as response:
                    body = await response.aread()
                    if not response.is_success:
                        raise await self._refusal(response)
        except TimeoutError as error:
            raise timed_out(self._endpoint, self._timeout) from error
        except httpx.HTTPError as error:
            raise from_transport(error, self._endpoint, self._timeout) from error
        return self._read(body, time.perf_counter() - started)

    def _read(self, body: bytes, elapsed: float) -> Reply:
        if body.startswith((b"data:", b"event:", b":", b"\xef\xbb\xbfdata:")):
            return self._collect(body, elapsed)
        try:
            decoded = json.loads(body)
        except (ValueError, RecursionError) as error:
            hint = f"Is {self._endpoint.url} the address of an OpenAI-compatible server?"
            raise unreadable("Expected a JSON object", body, self._endpoint, hint=hint) from error
        if fault := fault_in(decoded):
            raise from_fault(fault, self._endpoint)
        reply = reply_of(decoded, elapsed) if isinstance(decoded, dict) else None
        if reply is None:
            raise unreadable("Expected a reply with choices", body, self._endpoint)
        return reply

    def _collect(self, body: bytes, elapsed: float) -> Reply:
        """The reply of a server that streams although it was not asked to."""
        reader, builder = ChunkReader(self._endpoint), ReplyBuilder()
        for chunk in (*reader.feed(body), *reader.close()):
            builder.add(chunk)
        return builder.reply(elapsed)

    async def _begin(self, request: ModelRequest) -> tuple[Chunk, AsyncGenerator[Chunk, None]] | None:
        """The first chunk of a stream and the rest; None for a stream without any."""
        asked = self._asks_usage
        chunks = self._chunks(self._path(request), self._encode(request, stream=True))
        try:
            return await anext(chunks), chunks
        except StopAsyncIteration:
            return None
        except ModelError as error:
            if error.refused != "stream_options" or not asked:
                raise
            self._asks_usage = False  # usage is missing then, which beats no reply
        return await self._begin(request)

    async def _chunks(self, path: str, content: bytes) -> AsyncGenerator[Chunk, None]:
        import httpx

        reader = ChunkReader(self._endpoint)
        try:
            async with self._exchange("POST", path, content, self._timeout) as response:
                if not response.is_success:
                    await response.aread()
                    raise await self._refusal(response)
                async for data in response.aiter_bytes():
                    for chunk in reader.feed(data):
                        yield chunk
        except httpx.HTTPError as error:
            if not reader.complete:
                raise from_transport(error, self._endpoint, self._timeout) from error
        for chunk in reader.close():
            yield chunk

    @asynccontextmanager
    async def _exchange(
        self, method: str, path: str, content: bytes, seconds: float
    ) -> AsyncGenerator[httpx.Response, None]:
        import httpx

        prepared = self._prepared.get(path)
        if prepared is None:
            url = httpx.URL(self._base._replace(path=self._base.path + path).geturl())
            prepared = self._prepared[path] = url, [(b"host", url.netloc), *self._headers]
        url, headers = prepared
        waits = {"connect": min(CONNECT_TIMEOUT, seconds), "read": seconds, "write": seconds, "pool": seconds}
        request = httpx.Request(
            method,
            url,
            headers=[*headers, (b"content-length", b"%d" % len(content))],
            stream=httpx.ByteStream(content),
            extensions={"timeout": waits},
        )
        lanes = await self._connections.get()
        lane = lanes.take()
        try:
            # Without httpx.AsyncClient, whose cookies, redirects and merged headers cost a third of a call.
            response = await lane.handle_async_request(request)
            try:
                yield response
            finally:
                await response.aclose()
        finally:
            await lanes.give(lane)

    async def _refusal(self, response: httpx.Response) -> ModelError:
        error = from_response(response.status_code, response.content, response.headers, self._endpoint)
        if error.status == 404 and type(error) is ModelUnavailable:
            error.hint = self._missing(await self._served_names()) or error.hint
        return error

    def _missing(self, names: list[str]) -> str:
        """What to do about a 404, by the names that the server does serve."""
        if self._served in names:
            return f"The server serves {self._served!r}, but not at this address: check api_base."
        if not names:
            return ""
        close = get_close_matches(self._served, names, n=1, cutoff=0.4)
        others = ", ".join(names[:10]) + (", …" if len(names) > 10 else "")
        guess = f"Did you mean {close[0]!r}? " if close else ""
        return f"{guess}The server serves {others}: set served_name to one of them."

    async def _served_names(self) -> list[str]:
        import httpx

        try:
            async with asyncio.timeout(LISTING_TIMEOUT):
                async with self._exchange("GET", "/models", b"", LISTING_TIMEOUT) as response:
                    listing = json.loads(await response.aread())
            return [self._endpoint.clean(str(entry["id"]), 100) for entry in listing["data"]]
        except (httpx.HTTPError, TimeoutError, ValueError, LookupError, TypeError):
            return []  # the answer to the real question is the 404

    def _path(self, request: ModelRequest) -> str:
        return "/completions" if asks_for_text(request, self.profile) else "/chat/completions"

    def _encode(self, request: ModelRequest, *, stream: bool = False) -> bytes:
        body: dict[str, Any] = {"model": self._served, **request_parameters(request, self.profile)}
        if stream:
            body["stream"] = True
            if self._asks_usage:
                body.setdefault("stream_options", {"include_usage": True})
        try:
            text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plain)
        except (TypeError, ValueError, RecursionError) as error:
            raise ModelError(
                f"The request to {self.name} cannot be written as JSON: {error}.",
                model=self.name,
                hint="Look at the sampling parameters, at extra and at the schemas of the tools.",
            ) from error
        return text.encode("utf-8", "replace")  # half of a surrogate pair, which models do emit, becomes "?"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a value of type {type(value).__name__}")


def _headers(profile: ModelProfile, url: SplitResult, key: str) -> list[tuple[bytes, bytes]]:
    headers = [(b"content-type", b"application/json"), (b"accept", b"application/json, text/event-stream")]
    if not key.isprintable() or not key.isascii():
        source = profile.api_key_env or "the argument api_key"
        raise ConfigurationError(f"The key of {profile.name!r}, from {source}, has characters that no key has.")
    if key:
        headers.append((b"authorization", b"Bearer " + key.encode()))
    elif url.username is not None:
        pair = f"{unquote(url.username)}:{unquote(url.password or '')}"
        headers.append((b"authorization", b"Basic " + b64encode(pair.encode())))
    return headers
