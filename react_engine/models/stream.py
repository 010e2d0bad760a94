"""Streamed replies: bytes of server-sent events in, chunks out.

Reads what servers really send: comments and keep-alives, any line ends, a byte order mark, events over
several lines or without a blank line between them, errors in mid-stream, no ``[DONE]``, and a whole
JSON body where a stream was asked for. No I/O; the work is linear in the bytes, however they are cut.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from react_engine.models.base import CallDelta, Chunk
from react_engine.models.completion import chunk_of, reply_of
from react_engine.models.failures import Endpoint, cut_off, fault_in, from_fault, unreadable

_BOM = b"\xef\xbb\xbf"
_DONE = "[DONE]"
_STRAY = 1 << 23
_EMPTY = Chunk()


class EventReader:
    """Splits bytes into the data of server-sent events. Lines that belong to no event are kept in ``stray``."""

    def __init__(self) -> None:
        self._tail: list[bytes] = []
        self._data: list[str] = []
        self._begun = False
        self.stray = bytearray()

    def feed(self, data: bytes) -> Iterator[str]:
        """The data of the events that these bytes complete."""
        first, *lines = data.split(b"\n")
        self._tail.append(first)
        for line in lines:
            yield from self._line(b"".join(self._tail))
            self._tail = [line]

    def close(self) -> Iterator[str]:
        """What is left when the stream ends: servers leave out the last line end."""
        yield from self._line(b"".join(self._tail))
        yield from self._dispatch()
        self._tail.clear()

    def _line(self, line: bytes) -> Iterator[str]:
        if not self._begun:
            self._begun, line = True, line.removeprefix(_BOM)
        line = line.rstrip(b"\r")
        name, _, value = line.partition(b":")
        if not line:
            yield from self._dispatch()
        elif name in (b"data", b"error"):  # older llama.cpp has a field for errors
            if len(self._data) == 1 and _is_json(self._data[0]):  # no blank line between events
                yield from self._dispatch()
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
        elif name not in (b"", b"event", b"id", b"retry") and len(self.stray) < _STRAY:
            self.stray += line + b"\n"

    def _dispatch(self) -> Iterator[str]:
        if self._data:
            data = "\n".join(self._data)
            self._data.clear()
            yield data


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text.strip() == _DONE
    return True


class CallIndex:
    """Gives every native call of a stream its own index, whatever indexes the server uses.

    Some servers count every call as 0, some give no index, some no id, some repeat the id and the name
    with every piece: a new call also begins where a name comes with another id, or after arguments that
    are complete.
    """

    def __init__(self) -> None:
        self._open: dict[int, int] = {}
        self._ids: list[str] = []
        self._arguments: list[list[str]] = []

    def place(self, delta: CallDelta) -> CallDelta:
        """The delta with the index of the call that it belongs to."""
        own = self._open.get(delta.index)
        if own is None or self._begins(delta, own):
            own = self._open[delta.index] = len(self._ids)
            self._ids.append("")
            self._arguments.append([])
        self._ids[own] = self._ids[own] or delta.id
        self._arguments[own].append(delta.arguments)
        return replace(delta, index=own)

    def _begins(self, delta: CallDelta, own: int) -> bool:
        if not delta.name:
            return False
        arguments = "".join(self._arguments[own]).strip()
        whole = arguments.endswith("}") and _is_json(arguments)
        if delta.id and self._ids[own]:
            differs = delta.id != self._ids[own]
            return whole if delta.index < 0 and not differs else differs and (whole or not arguments)
        return whole


class ChunkReader:
    """Turns the bytes of a streamed reply into chunks, none of them empty; raises ``ModelError`` for errors in the stream.

    ``complete`` says whether the reply is whole: a finish reason or ``[DONE]`` came.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._events = EventReader()
        self._index = CallIndex()
        self._characters = 0
        self._seen = False
        self.complete = False

    def feed(self, data: bytes) -> Iterator[Chunk]:
        """The chunks that ``data`` completes."""
        for event in self._events.feed(data):
            yield from self._event(event)

    def close(self) -> Iterator[Chunk]:
        """The last chunks when the stream ends; raises ``ModelError`` if it ended too early."""
        for event in self._events.close():
            yield from self._event(event, last=True)
        if self.complete:
            return
        if self._seen or not self._events.stray:
            raise cut_off(self._endpoint, self._characters)
        yield self._whole(bytes(self._events.stray))

    def _event(self, data: str, *, last: bool = False) -> Iterator[Chunk]:
        data = data.strip()
        if data == _DONE:
            self._seen = self.complete = True
            return
        try:
            body = json.loads(data)
        except (ValueError, RecursionError) as error:
            if self.complete:
                return
            if last:
                raise cut_off(self._endpoint, self._characters) from error
            raise unreadable("An event of the stream is no JSON", data, self._endpoint) from error
        self._seen = True
        if fault := fault_in(body):
            raise from_fault(fault, self._endpoint)
        chunk = chunk_of(body) if isinstance(body, dict) else _EMPTY
        if chunk != _EMPTY:
            yield self._chunk(chunk)

    def _chunk(self, chunk: Chunk) -> Chunk:
        self._characters += len(chunk.text) + len(chunk.reasoning)
        self.complete = self.complete or chunk.finish_reason is not None
        if not chunk.calls:
            return chunk
        return replace(chunk, calls=tuple(self._index.place(delta) for delta in chunk.calls))

    def _whole(self, body: bytes) -> Chunk:
        """The chunk of a reply that came as one JSON body."""
        try:
            decoded = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise unreadable("Expected a stream of events", body, self._endpoint) from error
        if fault := fault_in(decoded):
            raise from_fault(fault, self._endpoint)
        reply = reply_of(decoded) if isinstance(decoded, dict) else None
        if reply is None:
            raise unreadable("Expected a stream with choices", body, self._endpoint)
        calls = tuple(CallDelta(i, call.id, call.name, call.arguments) for i, call in enumerate(reply.calls))
        self.complete = True
        return Chunk(reply.text, reply.reasoning or "", calls, reply.finish_reason, reply.usage)
