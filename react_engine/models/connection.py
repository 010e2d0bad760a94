"""What a client keeps open: one thing for each event loop, closed with the loop that it belongs to."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from functools import cache
from ipaddress import ip_address
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar
from urllib.parse import SplitResult
from weakref import finalize

from react_engine.errors import ModelUnavailable

if TYPE_CHECKING:
    import ssl

    import httpx


KEPT_FREE = 5.0
"""Seconds that a free connection is kept, as httpx and common servers do."""


class Closable(Protocol):
    """Something with sockets."""

    async def aclose(self) -> None:
        """Close them."""
        ...


T = TypeVar("T", bound=Closable)
Guard = AsyncGenerator[None, None]
_guards: dict[object, tuple[asyncio.AbstractEventLoop, Guard]] = {}
"""The guards of everything that is open; a loop itself refers to its generators weakly."""
_lock = Lock()
_retiring: set[asyncio.Task[None]] = set()
_RETIRE_AFTER = 1.0
"""Seconds. Often the loop ends with the function that held the model: its shutdown then closes in peace, while
it would cancel a closing that has begun."""


class PerLoop(Generic[T]):
    """Things made by ``make``, one for each running event loop.

    Sockets belong to the loop in which they were opened, and ``asyncio.run`` makes a new loop each time.
    Each thing is guarded by an async generator: loops close those when they shut down, so neither a second
    ``asyncio.run`` nor a forgotten ``aclose`` leaves a socket open. What is dropped before is closed soon after.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._held: dict[asyncio.AbstractEventLoop, tuple[T, Guard]] = {}
        finalize(self, _retire, self._held).atexit = False

    async def get(self) -> T:
        """The thing of the running loop."""
        loop = asyncio.get_running_loop()
        held = self._held.get(loop)
        if held is not None:
            return held[0]
        made, token = self._make(), object()
        guard = _close_at_end(made, token)
        with _lock:
            for gone in [other for other in self._held if other.is_closed()]:
                del self._held[gone]
            for closed in [key for key, (other, _) in list(_guards.items()) if other.is_closed()]:
                _guards.pop(closed, None)
            _guards[token] = loop, guard
            self._held[loop] = made, guard
        await anext(guard)
        return made

    async def aclose(self) -> None:
        """Close the thing of the running loop."""
        with _lock:
            held = self._held.pop(asyncio.get_running_loop(), None)
        if held is not None:
            await held[1].aclose()


async def _close_at_end(thing: Closable, token: object) -> Guard:
    try:
        yield
    finally:
        _guards.pop(token, None)
        await thing.aclose()


def _retire(held: Mapping[asyncio.AbstractEventLoop, tuple[Closable, Guard]]) -> None:
    for loop, (thing, guard) in held.items():
        with suppress(RuntimeError):  # the loop is closed, and its guards with it
            loop.call_soon_threadsafe(loop.call_later, _RETIRE_AFTER, _begin_end, thing, guard)


def _begin_end(thing: Closable, guard: Guard) -> None:
    task = asyncio.get_running_loop().create_task(_end(thing, guard))
    _retiring.add(task)
    task.add_done_callback(_retiring.discard)


async def _end(thing: Closable, guard: Guard) -> None:
    await thing.aclose()
    await guard.aclose()  # takes no time now, so the loop's own shutdown cannot find it half closed


class Lanes:
    """Connections to one server, each carrying one request at a time: a free one is taken, or another opened.

    httpx's own pool looks at every connection for every request, which at 64 requests at once costs more than
    the requests do. Certificates are loaded only for https; proxies come from the environment, but never stand
    before a loopback address. ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` replace the shipped certificates.
    ``shared`` is a transport that carries everything instead. A connection that was free for ``kept`` seconds
    is closed.
    """

    def __init__(
        self, url: SplitResult, shared: httpx.AsyncBaseTransport | None = None, *, kept: float = KEPT_FREE
    ) -> None:
        self._shared = shared
        self._url = url
        self._kept = kept
        self._free: deque[tuple[float, httpx.AsyncBaseTransport]] = deque()
        self._all: set[httpx.AsyncBaseTransport] = set() if shared is None else {shared}

    def take(self) -> httpx.AsyncBaseTransport:
        """A transport for one request."""
        if self._shared is not None:
            return self._shared
        if self._free:
            return self._free.pop()[1]
        lane = _open_lane(self._url)
        self._all.add(lane)
        return lane

    async def give(self, lane: httpx.AsyncBaseTransport) -> None:
        """Give a transport back; those that were not needed for a while are closed."""
        if self._shared is not None or lane not in self._all:
            return
        now = monotonic()
        self._free.append((now, lane))
        while self._free and self._free[0][0] < now - self._kept:
            _, idle = self._free.popleft()
            self._all.discard(idle)
            await idle.aclose()

    async def aclose(self) -> None:
        """Close all of them."""
        self._free.clear()
        while self._all:
            await self._all.pop().aclose()


def _open_lane(url: SplitResult) -> httpx.AsyncBaseTransport:
    import httpx

    limits = httpx.Limits(max_connections=1, keepalive_expiry=KEPT_FREE)
    try:
        context = _certificates() if url.scheme == "https" else _no_certificates()
        return httpx.AsyncHTTPTransport(verify=context, proxy=_proxy(url), limits=limits)
    except (ImportError, OSError, ValueError) as error:  # socks without its package, a missing SSL_CERT_FILE
        raise ModelUnavailable(
            f"No connection to {url.hostname} can be prepared: {type(error).__name__}.",
            hint="Look at the environment: http_proxy, https_proxy, all_proxy, SSL_CERT_FILE, SSL_CERT_DIR.",
        ) from error


@cache
def _certificates() -> ssl.SSLContext:
    """One context for all models: reading the certificates takes tens of milliseconds."""
    import httpx

    return httpx.create_ssl_context()


@cache
def _no_certificates() -> ssl.SSLContext:
    """What plain http needs, since httpx would make a context with certificates for it too."""
    import ssl

    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _proxy(url: SplitResult) -> str | None:
    from urllib.request import getproxies, proxy_bypass

    host = url.hostname or ""
    if is_loopback(host) or proxy_bypass(host):
        return None
    proxies = getproxies()
    return proxies.get(url.scheme) or proxies.get("all")


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
