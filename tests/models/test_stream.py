"""Streams as servers really send them."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import chain, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.errors import ModelError, RateLimited
from react_engine.models.base import CallDelta, Chunk, RawCall, Reply, ReplyBuilder
from react_engine.models.failures import Endpoint
from react_engine.models.stream import CallIndex, ChunkReader, EventReader
from react_engine.types import Usage
from tests.loopback import chunks, completion

ENDPOINT = Endpoint("m")


def read(*pieces: bytes) -> list[Chunk]:
    reader = ChunkReader(ENDPOINT)
    found = [chunk for piece in pieces for chunk in reader.feed(piece)]
    return [*found, *reader.close()]


def events(*pieces: bytes) -> list[str]:
    reader = EventReader()
    found = [event for piece in pieces for event in reader.feed(piece)]
    return [*found, *reader.close()]


def stream(*deltas: Any, end: str = "\n\n", **options: Any) -> bytes:
    lines = [f"data: {json.dumps(event, ensure_ascii=False)}" for event in chunks(*deltas, **options)]
    return end.join([*lines, "data: [DONE]", ""]).encode()


WHOLE = [Chunk("Hé"), Chunk("llo"), Chunk(finish_reason="stop"), Chunk(usage=Usage(11, 7))]

FRAMINGS: dict[str, bytes] = {
    "as specified": stream("Hé", "llo"),
    "CRLF": stream("Hé", "llo", end="\r\n\r\n"),
    "a byte order mark": b"\xef\xbb\xbf" + stream("Hé", "llo"),
    "comments and keep-alives": b": hi\n\n:\n" + stream("Hé", "llo").replace(b"\n\n", b"\n\n: PROCESSING\n\n"),
    "no blank after the colon": stream("Hé", "llo").replace(b"data: ", b"data:"),
    "no blank lines": stream("Hé", "llo", end="\n"),
    "other fields": stream("Hé", "llo").replace(b"data: ", b"event: message\nid: 1\nretry: 5\ndata: "),
    "no DONE": stream("Hé", "llo").removesuffix(b"data: [DONE]\n\n"),
    "no last line end": stream("Hé", "llo").rstrip(b"\n"),
    "lines after DONE": stream("Hé", "llo") + b"data: bye\n\n",
    "pretty JSON over several lines": b"\n\n".join(
        b"data: " + json.dumps(event, indent=1, ensure_ascii=False).encode().replace(b"\n", b"\ndata: ")
        for event in chunks("Hé", "llo")
    ),
}


@pytest.mark.parametrize("framing", FRAMINGS)
def test_framings_of_a_stream_give_the_same_chunks(framing: str) -> None:
    assert read(FRAMINGS[framing]) == WHOLE


@pytest.mark.parametrize("framing", FRAMINGS)
def test_every_byte_may_come_alone(framing: str) -> None:
    data = FRAMINGS[framing]
    assert read(*(data[i : i + 1] for i in range(len(data)))) == WHOLE


@given(st.lists(st.text(max_size=6), max_size=5), st.lists(st.integers(0, 400), max_size=5))
def test_the_cuts_between_pieces_do_not_matter(texts: list[str], cuts: list[int]) -> None:
    data = stream(*texts)
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    assert read(*(data[a:b] for a, b in pairwise(places))) == read(data)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_bytes_raise_anything_but_model_errors(data: bytes) -> None:
    with suppress(ModelError):
        read(data)


def test_values_keep_all_but_one_leading_blank() -> None:
    assert events(b"data:  a \ndata:b\n\n") == [" a \nb"]


def test_an_event_comes_as_soon_as_it_is_complete() -> None:
    reader = ChunkReader(ENDPOINT)
    (first, *_) = chunks("Hel")
    data = f"data: {json.dumps(first)}\n\n".encode()
    assert list(reader.feed(data[:-1])) == []
    assert list(reader.feed(data[-1:])) == [Chunk("Hel")]


def test_work_is_linear_in_a_line_that_never_ends() -> None:
    reader = EventReader()
    for _ in range(200_000):
        assert list(reader.feed(b"x")) == []


def test_usage_may_come_in_a_chunk_without_choices() -> None:
    assert read(stream("x"))[-1] == Chunk(usage=Usage(11, 7))


def test_chunks_that_say_nothing_are_left_out() -> None:
    assert read(stream({"role": "assistant", "content": ""}, "x", usage=False)) == [
        Chunk("x"),
        Chunk(finish_reason="stop"),
    ]


def test_a_stream_that_ends_early_is_cut() -> None:
    data = stream("Hel", finish=None, usage=False).removesuffix(b"data: [DONE]\n\n")
    with pytest.raises(ModelError, match="cut after 3 characters") as caught:
        read(data)
    assert caught.value.retryable


def test_an_event_that_ends_in_the_middle_is_cut() -> None:
    data = stream("Hel", "lo!")
    with pytest.raises(ModelError, match="cut after 3 characters"):
        read(data[: data.index(b"lo!")])


def test_nothing_at_all_is_cut() -> None:
    with pytest.raises(ModelError, match="cut after 0 characters"):
        read(b": keep-alive\n\n")


def test_an_event_that_is_no_json_is_shown() -> None:
    with pytest.raises(ModelError, match=r"no JSON .*oops"):
        read(b"data: oops\n\n")


@pytest.mark.parametrize(
    "event",
    [
        b'data: {"error": {"message": "Slow down.", "code": 429}}\n\n',
        b'event: error\ndata: {"message": "Slow down.", "code": 429}\n\n',
        b'error: {"code": 429, "message": "Slow down.", "type": "rate_limit_error"}\n\n',
        b'data: {"object": "error", "message": "Slow down.", "code": 429}\n\n',
        b'data: {"choices": [{"delta": {}, "finish_reason": "error"}], "error": {"code": 429, "message": "Slow down."}}',
    ],
)
def test_an_error_in_mid_stream_is_raised(event: bytes) -> None:
    (first, *_) = chunks("Hel")
    reader = ChunkReader(ENDPOINT)
    assert list(reader.feed(f"data: {json.dumps(first)}\n\n".encode())) == [Chunk("Hel")]
    with pytest.raises(RateLimited, match=r"Slow down\."):
        list(chain(reader.feed(event), reader.close()))


def test_a_whole_body_in_place_of_a_stream_is_one_chunk() -> None:
    body = completion(None, [("f", {"a": 1})])
    calls = (CallDelta(0, "call_0", "f", '{"a": 1}'),)
    for text in (json.dumps(body), json.dumps(body, indent=2)):
        assert read(text.encode()) == [Chunk(calls=calls, finish_reason="tool_calls", usage=Usage(11, 7))]


@pytest.mark.parametrize("body", [b"<html>Hello</html>", b'{"choices": []}', b"[1]"])
def test_another_body_in_place_of_a_stream_is_shown(body: bytes) -> None:
    with pytest.raises(ModelError) as caught:
        read(body)
    assert body.decode() in str(caught.value)


def calls_of(*deltas: CallDelta) -> tuple[RawCall, ...]:
    index, builder = CallIndex(), ReplyBuilder()
    for delta in deltas:
        builder.add(Chunk(calls=(index.place(delta),)))
    return builder.reply().calls


F, G = RawCall("1", "f", '{"a": 1}'), RawCall("2", "g", "{}")

DELTAS: dict[str, tuple[tuple[CallDelta, ...], tuple[RawCall, ...]]] = {
    "as specified": ((CallDelta(0, "1", "f"), CallDelta(0, "", "", '{"a": 1}'), CallDelta(1, "2", "g", "{}")), (F, G)),
    "interleaved": (
        (
            CallDelta(0, "1", "f", '{"a"'),
            CallDelta(1, "2", "g", "{"),
            CallDelta(0, "", "", ": 1}"),
            CallDelta(1, "", "", "}"),
        ),
        (F, G),
    ),
    "all index 0": ((CallDelta(0, "1", "f", '{"a": 1}'), CallDelta(0, "2", "g", "{}")), (F, G)),
    "all index 0, first without arguments": (
        (CallDelta(0, "1", "f", ""), CallDelta(0, "2", "g", "{}")),
        (RawCall("1", "f", ""), G),
    ),
    "all index 0, no ids": (
        (CallDelta(0, "", "f", '{"a": 1}'), CallDelta(0, "", "f", '{"a": 2}')),
        (RawCall("", "f", '{"a": 1}'), RawCall("", "f", '{"a": 2}')),
    ),
    "no index": ((CallDelta(-1, "1", "f", '{"a": 1}'), CallDelta(-1, "2", "g", "{}")), (F, G)),
    "no index, in pieces": ((CallDelta(-1, "1", "f", '{"a"'), CallDelta(-1, "", "", ": 1}")), (F,)),
    "no index, one id twice": (
        (CallDelta(-1, "1", "f", "{}"), CallDelta(-1, "1", "g", "{}")),
        (RawCall("1", "f", "{}"), RawCall("1", "g", "{}")),
    ),
    "id and name with every piece": ((CallDelta(0, "1", "f", '{"a"'), CallDelta(0, "1", "f", ": 1}")), (F,)),
    "another id with every piece": ((CallDelta(0, "1", "f", '{"a"'), CallDelta(0, "9", "", ": 1}")), (F,)),
    "one id twice, own indexes": (
        (CallDelta(0, "1", "f", "{}"), CallDelta(1, "1", "g", "{}")),
        (RawCall("1", "f", "{}"), RawCall("1", "g", "{}")),
    ),
    "indexes with a gap": ((CallDelta(3, "1", "f", '{"a": 1}'), CallDelta(7, "2", "g", "{}")), (F, G)),
}


@pytest.mark.parametrize("case", DELTAS)
def test_pieces_of_calls_are_put_together(case: str) -> None:
    deltas, calls = DELTAS[case]
    assert calls_of(*deltas) == calls


@given(
    st.lists(st.tuples(st.sampled_from(["f", "g"]), st.dictionaries(st.text(max_size=3), st.text(max_size=5)))),
    st.integers(1, 7),
)
def test_calls_survive_any_cutting(calls: list[tuple[str, dict[str, str]]], size: int) -> None:
    deltas = []
    for i, (name, arguments) in enumerate(calls):
        text = json.dumps(arguments)
        deltas.append({"tool_calls": [{"index": i, "id": f"c{i}", "function": {"name": name, "arguments": ""}}]})
        for start in range(0, len(text), size):
            deltas.append({"tool_calls": [{"index": i, "function": {"arguments": text[start : start + size]}}]})
    builder = ReplyBuilder()
    for chunk in read(stream(*deltas, finish="tool_calls")):
        builder.add(chunk)
    expected = tuple(RawCall(f"c{i}", name, json.dumps(arguments)) for i, (name, arguments) in enumerate(calls))
    assert builder.reply() == Reply(calls=expected, finish_reason="tool_calls", usage=Usage(11, 7))
