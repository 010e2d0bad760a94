"""A real HTTP server on 127.0.0.1 that behaves as badly as it is told to.

::

    with serve(Canned({"choices": [...]})) as server:
        HttpModel(ModelProfile("m", api_base=server.url))
        server.requests[0].json()

A handler is one ``Canned``, a list of them (one for each request, the last repeated), or a function
of the ``Request`` that returns one. ``GET /v1/models`` is answered with ``models`` and not counted.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Deed = Literal["hang", "cut", "reset"]
HANG: Deed = "hang"
"""Body item: nothing more is sent until the server stops or the client goes away."""
CUT: Deed = "cut"
"""Body item: the connection is closed although the body is not finished."""
RESET: Deed = "reset"
"""Body item: the connection is reset (RST)."""


@dataclass(frozen=True)
class Request:
    """One request as it arrived. ``headers`` has lower-case names."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    peer: tuple[str, int]

    def json(self) -> Any:
        """The body, decoded."""
        return json.loads(self.body)


@dataclass(frozen=True)
class Canned:
    """One reply. ``body`` is JSON (a dict or list), bytes or text sent with a length, or an iterable
    of pieces that are sent in chunks, among which ``HANG``, ``CUT`` and ``RESET`` do what they say.
    Status 0 sends no head: the first piece of the body says what happens instead.
    """

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Canned | Sequence[Canned] | Callable[[Request], Canned]


@dataclass
class Server:
    """A running server: its base ``url`` without a path, and what it was asked."""

    url: str
    requests: list[Request]

    @property
    def bodies(self) -> list[Any]:
        """The decoded bodies of all requests."""
        return [request.json() for request in self.requests]


@contextmanager
def serve(handler: Handler, *, models: Sequence[str] = ("served",)) -> Iterator[Server]:
    """Serve ``handler`` on a free loopback port until the block ends; requests may overlap."""
    requests: list[Request] = []
    listing = {"object": "list", "data": [{"id": name, "object": "model"} for name in models]}

    def answer(request: Request) -> Canned:
        if request.path.endswith("/models") and request.method == "GET":
            return Canned(listing)
        requests.append(request)
        if callable(handler):
            return handler(request)
        if isinstance(handler, Canned):
            return handler
        return handler[min(len(requests), len(handler)) - 1]

    server = _Quiet(("127.0.0.1", 0), type("Bound", (_Connection,), {"respond": staticmethod(answer)}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield Server(f"http://127.0.0.1:{server.server_address[1]}", requests)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Quiet(ThreadingHTTPServer):
    request_queue_size = 256

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        """End idle and hanging connections, so that no thread is left waiting for a client."""
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        super().server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no event in a test."""


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    respond: Callable[[Request], Canned]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.respond(Request(self.command, self.path, headers, body, self.client_address))
        if not reply.status:
            self._end(next(iter(reply.body)))
        elif isinstance(reply.body, dict | list):
            self._whole(reply, json.dumps(reply.body).encode(), {"Content-Type": "application/json"})
        elif isinstance(reply.body, bytes | str):
            self._whole(reply, reply.body.encode() if isinstance(reply.body, str) else reply.body, {})
        else:
            self._pieces(reply)

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """No access log."""

    def _head(self, reply: Canned, headers: Mapping[str, str]) -> None:
        self.send_response(reply.status)
        given = {name.lower(): value for name, value in headers.items()}
        for name, value in (given | {name.lower(): value for name, value in reply.headers.items()}).items():
            self.send_header(name, value)
        self.end_headers()

    def _whole(self, reply: Canned, body: bytes, headers: Mapping[str, str]) -> None:
        self._head(reply, {**headers, "Content-Length": str(len(body))})
        self.wfile.write(body)
        self.wfile.flush()

    def _pieces(self, reply: Canned) -> None:
        self._head(reply, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})
        self.wfile.flush()
        pieces = iter(reply.body)
        for piece in pieces:
            if piece in (HANG, CUT, RESET):
                self._end(piece)
                next(pieces, None)  # what a generator does behind the deed: tell the test that the client went away
                return
            data = piece.encode() if isinstance(piece, str) else piece
            if data:  # an empty chunk would end the body
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def _end(self, deed: Deed) -> None:
        self.close_connection = True
        if deed == HANG:
            with suppress(OSError):
                while self.connection.recv(4096):
                    pass
        elif deed == RESET:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def completion(
    text: str | None = "Hello", calls: Sequence[tuple[str, Mapping[str, Any]]] = (), **choice: Any
) -> dict[str, Any]:
    """A chat completion as OpenAI sends it; ``calls`` are names with arguments."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for i, (name, arguments) in enumerate(calls)
        ]
    finish = "tool_calls" if calls else "stop"
    first: dict[str, Any] = {"index": 0, "message": message, "finish_reason": finish}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "served",
        "choices": [first | choice],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def chunks(*deltas: Mapping[str, Any] | str, finish: str | None = "stop", usage: bool = True) -> list[dict[str, Any]]:
    """The events of a stream as OpenAI sends them; a string is a piece of text."""
    whole = [{"content": delta} if isinstance(delta, str) else dict(delta) for delta in deltas]
    choices: list[dict[str, Any]] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in whole]
    if finish:
        choices.append({"index": 0, "delta": {}, "finish_reason": finish})
    head: dict[str, Any] = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "served"}
    events: list[dict[str, Any]] = [{**head, "choices": [choice]} for choice in choices]
    if usage:
        tokens = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
        events.append({**head, "choices": [], "usage": tokens})
    return events


def sse(events: Iterable[Any], *, done: bool = True, then: Deed | None = None) -> Canned:
    """A stream of events: dicts become ``data:`` lines, text and bytes are sent as they are."""

    def pieces() -> Iterator[str | bytes]:
        for event in events:
            yield event if isinstance(event, str | bytes) else f"data: {json.dumps(event)}\n\n"
        if done:
            yield "data: [DONE]\n\n"
        if then:
            yield then

    return Canned(_Again(pieces))


def only(deed: Deed) -> Canned:
    """No reply at all: the request is read, then ``deed`` happens."""
    return Canned([deed], status=0)


class _Again:
    """An iterable that starts afresh for each request."""

    def __init__(self, start: Callable[[], Iterator[Any]]) -> None:
        self._start = start

    def __iter__(self) -> Iterator[Any]:
        return self._start()
