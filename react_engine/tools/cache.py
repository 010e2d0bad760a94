"""Results kept for a time, and equal calls at the same time sharing one execution."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from react_engine.types import ToolResult

if TYPE_CHECKING:
    from cachetools import TLRUCache


class _Entry(NamedTuple):
    result: ToolResult
    seconds: float
    owner: object  # kept alive: its id is part of the key


class ResultCache:
    """Successes by key, each kept for the seconds its tool says; the least recently used go first."""

    def __init__(self, size: int, clock: Callable[[], float]) -> None:
        self._size = size
        self._clock = clock
        self._running: dict[Hashable, asyncio.Future[ToolResult | None]] = {}
        self._entries: TLRUCache[Hashable, _Entry] | None = None
        self._lock = Lock()

    async def get(
        self, owner: object, key: str, seconds: float, produce: Callable[[], Awaitable[ToolResult]]
    ) -> ToolResult:
        """The kept result, or that of the equal call under way, or a new one.

        Where the call under way is cancelled, one of those that wait for it takes over.
        """
        whole = (id(owner), key)
        here = (asyncio.get_running_loop(), *whole)
        while True:
            entry = self._entry(whole)
            if entry is not None:
                return replace(entry.result, cached=True)
            running = self._running.get(here)
            if running is None:
                break
            shared = await asyncio.shield(running)
            if shared is not None:
                return replace(shared, cached=shared.ok)
        future: asyncio.Future[ToolResult | None] = asyncio.get_running_loop().create_future()
        self._running[here] = future
        result = None
        try:
            result = await produce()
            if result.ok:
                self._keep(whole, _Entry(result, seconds, owner))
            return result
        finally:
            del self._running[here]
            future.set_result(result)

    def _entry(self, key: Hashable) -> _Entry | None:
        with self._lock:
            return None if self._entries is None else self._entries.get(key)

    def _keep(self, key: Hashable, entry: _Entry) -> None:
        with self._lock:
            if self._entries is None:
                from cachetools import TLRUCache

                self._entries = TLRUCache(maxsize=self._size, ttu=_until, timer=self._clock)
            self._entries[key] = entry


def _until(_key: Hashable, entry: _Entry, now: float) -> float:
    return now + entry.seconds
