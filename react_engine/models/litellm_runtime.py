"""litellm itself: imported late and quietly, and made to close what it opens."""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import sys
import warnings
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any

from react_engine.models.connection import PerLoop


class _LoopClients:
    """The clients that litellm caches for one event loop; it leaves them open when the loop ends."""

    async def aclose(self) -> None:
        """Close and forget them."""
        litellm = sys.modules.get("litellm")
        cached = getattr(getattr(litellm, "in_memory_llm_clients_cache", None), "cache_dict", {})
        marks = tuple(f"-{mark}" for mark in _loop_marks())
        for key in [key for key in list(cached) if str(key).endswith(marks)]:
            client = cached.pop(key)
            close = getattr(client, "close", None) or getattr(client, "aclose", None)
            with suppress(Exception):  # whatever client it is: the loop ends anyway
                closing = close() if close else None
                if inspect.isawaitable(closing):
                    await closing
        await asyncio.sleep(0)  # asyncio lets go of a closed socket in the next turn of the loop


def _loop_marks() -> list[str]:
    """How litellm marks the keys of clients that belong to the running loop: the loop's id, later a token."""
    marks = [str(id(asyncio.get_running_loop()))]
    with suppress(ImportError):
        from litellm.caching.evicted_client_closer import running_loop_token

        marks.append(str(running_loop_token()))
    return marks


clients = PerLoop(_LoopClients)


async def loaded() -> Any:
    """litellm, imported in a thread the first time, so that the event loop goes on."""
    _contain_warnings()
    return _import() if _import.cache_info().currsize else await asyncio.to_thread(_import)


def load(module: str = "litellm") -> Any:
    """litellm, or a module of it, imported here and now."""
    _contain_warnings()
    _import()
    return import_module(module)


_PYDANTIC = r"Items? .* using the `ReadOnly` qualifier"


def _contain_warnings() -> None:
    """Keep litellm's own warnings to itself: it imports providers late, so they come at any call.

    Only these two kinds are filtered. The filters are looked for each time because test runners and
    ``catch_warnings`` blocks take them away.
    """
    if not any(entry[1] is not None and entry[1].pattern == _PYDANTIC for entry in warnings.filters):
        warnings.filterwarnings("ignore", message=_PYDANTIC, category=UserWarning)
        warnings.filterwarnings("ignore", module=r"litellm(\.|$)")


@cache
def _import() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its dependencies, at import
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        litellm: Any = import_module("litellm")
    litellm.suppress_debug_info = True
    if getattr(litellm, "telemetry", None) is True:  # gone from newer versions
        litellm.telemetry = False
    if not os.environ.get("LITELLM_LOG"):
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm
