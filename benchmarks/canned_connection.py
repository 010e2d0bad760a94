"""A loopback server whose replies follow from the request alone, for servers that run as processes of their own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent

Writes = Callable[[bytes], Iterable[bytes]]
"""The writes of a whole HTTP response, for the body of a request."""


class _Connection(asyncio.Protocol):
    """One keep-alive connection; requests on it come one after another."""

    transport: asyncio.Transport

    def __init__(self, reply_to: Writes, on_get: Callable[[], bytes]) -> None:
        self._reply_to, self._on_get = reply_to, on_get
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or 0) if end else 0
        if not end or len(body) < length:
            return
        self._received = b""
        if head.startswith(b"GET"):
            shown = self._on_get()
            self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(shown), shown))
            return
        for piece in self._reply_to(body):
            self.transport.write(piece)


async def serve(reply_to: Writes, on_get: Callable[[], bytes]) -> None:
    """Print the address and answer, until whoever started the process is gone. ``on_get``: the body of any GET."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Connection(reply_to, on_get), "127.0.0.1", 0, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await asyncio.to_thread(sys.stdin.read)


@contextmanager
def started(*module: str) -> Iterator[str]:
    """The address of a server that a module of the benchmarks serves in a process of its own until the block ends."""
    command = [sys.executable, "-m", *module]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


def event_stream(events: Iterable[bytes]) -> list[bytes]:
    """The writes of a streamed response: the head, server-sent events, the end."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    data = [b"data: " + event + b"\n\n" for event in events]
    return [head, *(b"%x\r\n%s\r\n" % (len(event), event) for event in data), b"0\r\n\r\n"]


def json_response(body: bytes) -> bytes:
    """A response in JSON."""
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
