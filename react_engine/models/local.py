"""Models that run on this machine, in the embedded llama.cpp: ``local/NAME`` and ``local/PATH.gguf``."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from react_engine.errors import ModelError
from react_engine.models.base import Chunk, ModelRequest, Reply
from react_engine.models.catalogue import Weights, find
from react_engine.models.http import HttpModel
from react_engine.models.local_server import DEFAULT_CONTEXT, LocalServer, LocalServers, ServerOrder, servers
from react_engine.models.profile import ModelProfile
from react_engine.models.progress import Progress, on_stderr
from react_engine.models.weights import ensure

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


class LocalModel:
    """A model of the catalogue, or any GGUF file, served by llama.cpp in a process beside this one.

    Nothing happens before the first request: it fetches the weights if they are not here (``progress`` shows it,
    by default on standard error) and starts the server, in a thread. Models with the same file share a server.
    ``timeout`` is in seconds and includes the wait for requests before it.

    Raises ``ConfigurationError`` for a name that is neither in the catalogue nor a path that ends in ``.gguf``.
    """

    def __init__(
        self,
        profile: ModelProfile,
        *,
        timeout: float = 600.0,
        max_retries: int = 2,
        progress: Progress | None = None,
        pool: LocalServers = servers,
    ) -> None:
        self.profile = profile
        self._what = _what(profile)
        self._timeout = timeout
        self._retries = max_retries
        self._progress = progress
        self._pool = pool
        self._client: tuple[LocalServer, HttpModel] | None = None

    def __repr__(self) -> str:
        return f"LocalModel({self.profile.name!r})"

    @property
    def name(self) -> str:
        """The name under which the capability table knows the model."""
        return self.profile.name

    async def complete(self, request: ModelRequest) -> Reply:
        """The whole reply to one request. Raises ``ModelError`` and nothing else on failure."""
        async with self._in_use() as client:
            return await client.complete(request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """The reply in pieces. Raises ``ModelError`` and nothing else on failure."""
        async with self._in_use() as client:
            chunks = cast("AsyncGenerator[Chunk]", client.stream(request))
            async with aclosing(chunks):
                async for chunk in chunks:
                    yield chunk

    async def aclose(self) -> None:
        """Release connections. The server stays for the next use, until the program ends."""
        if self._client is not None:
            client, self._client = self._client[1], None
            await client.aclose()

    @asynccontextmanager
    async def _in_use(self) -> AsyncGenerator[HttpModel]:
        server = await self._server()
        try:
            yield await self._client_of(server)
        except ModelError as error:
            if not server.alive:
                raise server.failure() from error
            raise
        finally:
            self._pool.release(server)

    async def _server(self) -> LocalServer:
        from anyio import to_thread

        stop = threading.Event()
        try:
            while True:
                server = await to_thread.run_sync(partial(self._started, stop), abandon_on_cancel=True)
                if self._pool.take(server):
                    return server
        finally:
            stop.set()  # whoever asked is gone: the thread does not go on fetching

    def _started(self, stop: threading.Event) -> LocalServer:
        if isinstance(self._what, Weights):
            path = ensure(self._what, progress=_Stoppable(self._progress or on_stderr(), stop))
        else:
            path = self._what
        return self._pool.start(ServerOrder(path, self.name, self.profile.context_length or DEFAULT_CONTEXT))

    async def _client_of(self, server: LocalServer) -> HttpModel:
        if self._client is None or self._client[0] is not server:
            await self.aclose()
            reached = replace(self.profile, client="http", api_base=server.url, api_key_env=None)
            client = HttpModel(reached, api_key=server.key, timeout=self._timeout, max_retries=self._retries)
            self._client = (server, client)
        return self._client[1]


class _StoppedError(Exception):
    """Nobody waits for the transfer any more."""


class _Stoppable:
    """Passes on what it is told, and ends the transfer when asked to."""

    def __init__(self, inner: Progress, stop: threading.Event) -> None:
        self._stop = stop
        self.begin, self.note, self.end = inner.begin, inner.note, inner.end
        self._at = inner.at

    def at(self, done: int) -> None:
        if self._stop.is_set():
            raise _StoppedError
        self._at(done)


def _what(profile: ModelProfile) -> Weights | Path:
    named = profile.served_name or profile.name.removeprefix("local/")
    return Path(named).expanduser() if named.lower().endswith(".gguf") else find(named)
