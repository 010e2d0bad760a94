"""The scripted model gives what it was told to give."""

from __future__ import annotations

import pytest

from react_engine.errors import ModelError, ModelTimeout
from react_engine.models.base import Chunk, Model, ModelRequest, RawCall, Reply, ReplyBuilder
from react_engine.models.profile import ModelProfile
from react_engine.models.scripted import ScriptedModel, native_call, native_calls
from react_engine.types import Usage

ASK = ModelRequest(messages=({"role": "user", "content": "Hi"},))
pytestmark = pytest.mark.anyio


async def test_it_is_a_model_and_keeps_what_it_was_asked() -> None:
    model = ScriptedModel("Hello")
    assert isinstance(model, Model)
    assert model.name == "scripted"
    assert await model.complete(ASK) == Reply("Hello", finish_reason="stop")
    assert model.requests == [ASK]


async def test_replies_come_in_order_in_every_form() -> None:
    whole = Reply("whole", usage=Usage(1, 2))

    async def later(request: ModelRequest) -> str:
        return f"{len(request.messages)} message"

    model = ScriptedModel(["text", whole, lambda request: whole, later])
    replies = [await model.complete(ASK) for _ in range(4)]
    assert replies == [
        Reply("text", finish_reason="stop"),
        whole,
        whole,
        Reply("1 message", finish_reason="stop"),
    ]


async def test_exceptions_are_raised_also_from_functions() -> None:
    model = ScriptedModel([ModelTimeout("late"), lambda _: ModelTimeout("late")])
    for _ in range(2):
        with pytest.raises(ModelTimeout, match="late"):
            await model.complete(ASK)


async def test_the_end_of_the_script_is_a_clear_error() -> None:
    model = ScriptedModel(["one"], name="double")
    await model.complete(ASK)
    with pytest.raises(ModelError, match="'double' has no reply number 2"):
        await model.complete(ASK)


async def test_an_endless_script_never_ends() -> None:
    model = ScriptedModel(iter(lambda: "again", None))
    assert [(await model.complete(ASK)).text for _ in range(20)] == ["again"] * 20


def test_native_calls_have_their_own_ids() -> None:
    one, other = native_call("add", a=1, name="é"), native_calls(("add", {}), ("sub", {"a": 2}), text="Both.")
    ids = [call.id for call in (*one.calls, *other.calls)]
    assert len(set(ids)) == 3
    assert one == Reply(calls=(RawCall(ids[0], "add", '{"a": 1, "name": "é"}'),), finish_reason="tool_calls")
    assert other == Reply(
        "Both.", (RawCall(ids[1], "add", "{}"), RawCall(ids[2], "sub", '{"a": 2}')), finish_reason="tool_calls"
    )


@pytest.mark.parametrize("sizes", [1, 3, 100, [1, 5, 2], []], ids=str)
async def test_a_stream_is_the_reply_in_pieces(sizes: int | list[int]) -> None:
    call = native_call("add", a=1)
    reply = Reply("Hello there", call.calls, "Hm.", "tool_calls", Usage(3, 4))
    builder = ReplyBuilder()
    async for chunk in ScriptedModel([reply], chunk_size=sizes).stream(ASK):
        builder.add(chunk)
    assert builder.reply() == reply


async def test_a_list_of_sizes_cuts_where_it_says() -> None:
    pieces = [chunk async for chunk in ScriptedModel("abcdefgh", chunk_size=[1, 2]).stream(ASK)]
    texts = [Chunk(text) for text in ("a", "bc", "de", "fg", "h")]
    assert pieces == [*texts, Chunk(finish_reason="stop", usage=Usage())]


async def test_a_profile_gives_the_name() -> None:
    profile = ModelProfile("local/x", function_calling=True)
    model = ScriptedModel([], profile=profile)
    assert (model.name, model.profile) == ("local/x", profile)
    await model.aclose()
