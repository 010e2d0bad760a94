"""The application that each worker runs: litellm's proxy, with the provider registered and bodies bounded."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from hmac import compare_digest
from typing import Any

from react_engine.provider import register
from react_engine.server.setup import KEY_VARIABLE, MEGABYTE, Options

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


_KEY_HEADERS = frozenset(
    {b"authorization", b"x-api-key", b"api-key", b"x-litellm-api-key", b"x-goog-api-key", b"ocp-apim-subscription-key"}
)


class Guarded:
    """An ASGI application that is never sent a body larger than ``most`` bytes: the client gets 413.

    With ``key`` any other key gets 401: the proxy itself would say that it has no database to look it up in.
    """

    def __init__(self, inner: App, most: int, announce: str = "", key: str = "") -> None:
        self._inner, self._most, self._announce = inner, most, announce
        self._key = key.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or run the lifespan."""
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, self._announcing(send))
            return
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        length = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if not length.isdigit() or int(length) > self._most:
            await self._too_large(receive, send)
        elif self._key and self._is_wrong_key(scope["headers"]):
            await _refuse(send, 401, "This key is not valid.", "authentication_error")
        else:
            await self._counted(scope, receive, send)

    def _is_wrong_key(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        """Whether keys were given and none is the right one. That none was given the proxy says by itself."""
        given = [value.strip() for name, value in headers if name in _KEY_HEADERS and value.strip()]
        keys = [value.split(None, 1)[1] if value[:7].lower() == b"bearer " else value for value in given]
        return bool(keys) and not any(compare_digest(key, self._key) for key in keys)

    async def _counted(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A body is looked at as it comes: how long it is, and whether it can be a request."""
        read, over, begun = 0, False, False
        is_json = any(name == b"content-type" and b"json" in value for name, value in scope["headers"])

        async def counting() -> MutableMapping[str, Any]:
            nonlocal read, over
            message = await receive()
            if over:
                return {"type": "http.disconnect"}
            body = message.get("body") or b""
            strange = is_json and not read and body.strip() and not body.lstrip().startswith(b"{")
            read += len(body)
            if (read > self._most or strange) and not begun:
                over = True
                if strange:
                    await _refuse(send, 400, "The body of a request must be a JSON object.", "invalid_request_error")
                else:
                    await self._too_large(receive, send, more=message.get("more_body", False))
                return {"type": "http.disconnect"}
            return message

        async def sending(message: MutableMapping[str, Any]) -> None:
            nonlocal begun
            begun = True
            if not over:  # else the client has its answer, and what the proxy makes of it is not its affair
                await send(message)

        try:
            await self._inner(scope, counting, sending)
        except Exception:
            if not over:
                raise

    async def _too_large(self, receive: Receive, send: Send, *, more: bool = True) -> None:
        """Refuse a body. Much of what is yet to come is still taken, since clients write before they read."""
        dropped = 0
        while more and dropped < 4 * self._most:
            message = await receive()
            dropped += len(message.get("body") or b"")
            more = message.get("more_body", False)
        said = f"The body of a request may have {self._most / MEGABYTE:g} MB."
        await _refuse(send, 413, said, "invalid_request_error")

    def _announcing(self, send: Send) -> Send:
        async def sending(message: MutableMapping[str, Any]) -> None:
            await send(message)
            if message["type"] == "lifespan.startup.complete" and self._announce:
                print(self._announce, file=sys.stderr, flush=True)

        return sending


async def _refuse(send: Send, status: int, message: str, kind: str) -> None:
    """An error in the shape that clients know; the rest of the body is not read."""
    error = {"message": message, "type": kind, "param": None, "code": str(status)}
    body = json.dumps({"error": error}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def make_app() -> Guarded:
    """The application as the environment describes it: see ``setup.prepare``."""
    from react_engine.models.litellm_runtime import load

    options = Options.from_environment()
    register()
    proxy: App = load("litellm.proxy.proxy_server").app
    key = os.environ.get(KEY_VARIABLE, "") if options.one_key else ""
    return Guarded(proxy, options.max_body, options.announce, key)
