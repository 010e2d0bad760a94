"""What a turn becomes: calls, text, reasoning and the reason for its end, whole and streamed."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.errors import ModelError, ToolsRefused
from react_engine.models.base import Chunk, RawCall, Reply
from react_engine.models.facts import FactStore
from react_engine.models.http import HttpModel
from react_engine.models.profile import ModelProfile
from react_engine.models.scripted import native_call
from react_engine.models.table import CapabilityTable
from react_engine.parsers.plain import plain_text
from react_engine.paths.turn import PlainStream
from react_engine.provider.backend import Backend
from react_engine.runs import FallbackReason
from react_engine.templates import Templates
from react_engine.types import Usage
from tests.loopback import Canned, Request, Server, chunks, completion, serve, sse
from tests.provider.driving import ADD, ASKED, CALL, TOOLS, backend, pieces_of, spoken, turn_of, without_ids

pytestmark = pytest.mark.anyio
NO_CALL = "Thought: I could look at the sky, or at the sea."
ANSWER = "Thought: Known.\nFinal Answer: It is sunny."


def called(turn: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, call.arguments) for call in turn.calls]


async def test_a_call_in_text_becomes_a_call_with_an_id() -> None:
    turn = await turn_of(backend(spoken(CALL))[0])
    assert called(turn) == [("get_weather", {"city": "Oslo"})]
    assert (turn.text, turn.reasoning, turn.finish_reason) == ("", "I look.", "tool_calls")
    assert re.fullmatch(r"[A-Za-z0-9]{9}", turn.calls[0].id)


async def test_an_answer_is_content_without_labels() -> None:
    turn = await turn_of(backend(spoken(ANSWER))[0])
    assert (turn.text, turn.reasoning, turn.finish_reason, turn.calls) == ("It is sunny.", "Known.", "stop", ())


async def test_arguments_come_in_the_types_of_the_schema() -> None:
    text = CALL.replace("}", ', "days": "2"}')
    assert called(await turn_of(backend(spoken(text))[0])) == [("get_weather", {"city": "Oslo", "days": 2})]


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize(
    "reply",
    [
        spoken(CALL),
        spoken(ANSWER),
        spoken("Just text."),
        spoken("<think>Hm.</think>It is sunny."),
        spoken('<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>'),
        spoken("It is sunny in Os", "length"),
        native_call("add", a=1, b=2),
        Reply("Let me see.", (RawCall("c1", "add", '{"a": 1}'), RawCall("c2", "add", '{"a": 2}')), "Hm.", "tool_calls"),
    ],
)
async def test_a_stream_says_what_the_whole_reply_says(reply: Reply, native: bool) -> None:
    whole = await turn_of(backend(reply, reply, native=native)[0])
    content, reasoning, turn = await pieces_of(backend(reply, reply, native=native)[0])
    assert without_ids(turn) == without_ids(whole)
    assert (content, reasoning) == (whole.text, whole.reasoning or "")


async def test_a_reply_that_cannot_be_read_is_mended_once() -> None:
    made, model = backend(spoken(NO_CALL), spoken(CALL))
    turn = await turn_of(made)
    assert called(turn) == [("get_weather", {"city": "Oslo"})]
    assert (turn.repairs, turn.usage) == (1, Usage(1000, 1000))
    assert "could not be used" in str(model.requests[1].messages[-1]["content"])


async def test_what_stays_unreadable_is_content_with_the_problem() -> None:
    made, model = backend(spoken(NO_CALL), spoken(NO_CALL), spoken(CALL))
    turn = await turn_of(made)
    assert (turn.calls, turn.text, turn.finish_reason, turn.repairs) == ((), NO_CALL, "stop", 1)
    assert turn.problems
    assert len(model.requests) == 2


async def test_no_repairs_means_one_request() -> None:
    made, model = backend(spoken(NO_CALL), spoken(CALL), repairs=0)
    assert (await turn_of(made)).text == NO_CALL
    assert len(model.requests) == 1


async def test_a_reply_that_was_cut_is_not_asked_for_again() -> None:
    made, model = backend(spoken("Thought: I look\nAction: get_wea", "length"))
    turn = await turn_of(made)
    assert (turn.finish_reason, turn.calls, len(model.requests)) == ("length", (), 1)


async def test_an_unknown_tool_is_told_to_the_model_and_never_handed_on() -> None:
    wrong = CALL.replace("get_weather", "fly_to_mars")
    made, model = backend(spoken(wrong), spoken(wrong))
    turn = await turn_of(made)
    assert (turn.calls, turn.text) == ((), wrong)
    assert "no tool named 'fly_to_mars'" in str(model.requests[1].messages[-1]["content"])


async def test_arguments_that_do_not_fit_are_handed_on_when_the_model_insists() -> None:
    wrong = CALL.replace("}", ', "days": "many"}')
    turn = await turn_of(backend(spoken(wrong), spoken(wrong))[0])
    assert called(turn) == [("get_weather", {"city": "Oslo", "days": "many"})]
    assert turn.problems


async def test_a_named_tool_must_be_called() -> None:
    made, model = backend(spoken(ANSWER), spoken('Thought: x\nAction: add\nAction Input: {"a": 1}'))
    choice = {"type": "function", "function": {"name": "add"}}
    assert called(await turn_of(made, tool_choice=choice)) == [("add", {"a": 1})]
    assert "Use the tool add before you answer" in model.requests[0].messages[0]["content"]


async def test_another_tool_than_the_named_one_is_not_handed_on() -> None:
    choice = {"type": "function", "function": {"name": "add"}}
    turn = await turn_of(backend(spoken(CALL), spoken(CALL))[0], tool_choice=choice)
    assert turn.calls == ()


async def test_an_answer_where_a_call_is_required_is_content_in_the_end() -> None:
    turn = await turn_of(backend(spoken(ANSWER), spoken(ANSWER))[0], tool_choice="required")
    assert (turn.text, turn.calls, turn.problems[0].code) == ("It is sunny.", (), "no-call")


@pytest.mark.parametrize("native", [True, False])
async def test_no_call_is_handed_on_where_none_may_be_made(native: bool) -> None:
    turn = await turn_of(backend(spoken(CALL), spoken(CALL), native=native)[0], tool_choice="none")
    assert turn.calls == ()


async def test_one_call_at_a_time_keeps_the_first() -> None:
    two = Reply("", (RawCall("c1", "add", '{"a": 1}'), RawCall("c2", "add", '{"a": 2}')), finish_reason="tool_calls")
    made, model = backend(two, native=True)
    assert called(await turn_of(made, parallel_tool_calls=False)) == [("add", {"a": 1})]
    assert model.requests[0].parallel_tool_calls is False


async def test_a_call_that_leaks_into_native_text_is_read() -> None:
    made, model = backend(spoken('<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>'), native=True)
    turn = await turn_of(made)
    assert called(turn) == [("add", {"a": 1})]
    assert [fallback.reason for fallback in turn.fallbacks] == [FallbackReason.LEAKED_CALL]
    assert len(model.requests) == 1


async def test_a_server_that_refuses_tools_is_not_offered_them_again() -> None:
    made, model = backend(ToolsRefused("no tools here", status=400), spoken(CALL), spoken(CALL), native=True)
    first, second = await turn_of(made), await turn_of(made)
    assert called(first) == called(second) == [("get_weather", {"city": "Oslo"})]
    assert [fallback.reason for fallback in first.fallbacks] == [FallbackReason.TOOLS_REFUSED]
    assert (second.path, len(model.requests), model.requests[2].tools) == ("prompt", 3, ())


async def test_what_did_not_hold_is_remembered_for_whoever_uses_the_model_next(tmp_path: Path) -> None:
    table = CapabilityTable(learned=FactStore(tmp_path / "facts.json"))
    made, _ = backend(ToolsRefused("no tools here", status=400), spoken(CALL), native=True)
    made = Backend(made.model, made.profile, Templates(), table=table)
    await turn_of(made)
    record = table.profile("m", {"api_base": "http://x"})
    assert (record.function_calling, record.sources["function_calling"].kind) == (False, "learned")


@pytest.mark.parametrize(("chance", "path"), [(0.9, "answer"), (0.3, "open")])
async def test_the_gate_stands_before_the_turn_of_a_client_as_well(chance: float, path: str) -> None:
    first = Reply(" answer", alternatives=((" answer", math.log(chance)),), usage=Usage(10, 1))
    made, model = backend(first, spoken(" It is small talk.\nFinal Answer: Hello."), continues=True, gate=(0.1, 0.6))
    turn = await turn_of(made)
    assert (turn.text, turn.calls, turn.usage.prompt_tokens) == ("Hello.", (), 510)
    offered = "get_weather" in str(model.requests[1].messages)
    assert offered is (path == "open")


async def test_behind_a_result_no_gate_stands() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
    history = [*ASKED, {"role": "assistant", "content": None, "tool_calls": [call]}]
    history.append({"role": "tool", "tool_call_id": "c1", "content": "sunny"})
    made, model = backend(spoken(" Known: sunny.\nFinal Answer: Sunny."), continues=True, gate=(0.1, 0.6))
    turn = await turn_of(made, history)
    assert (turn.text, len(model.requests)) == ("Sunny.", 1)


async def test_a_failure_of_the_model_is_raised() -> None:
    with pytest.raises(ModelError, match="down"):
        await turn_of(backend(ModelError("down", status=503))[0])


async def test_a_conversation_without_tools_is_left_as_it_is() -> None:
    made, model = backend(spoken('{"name": "add", "arguments": {}}'))
    messages = [{"role": "system", "content": "Be short."}, *ASKED]
    turn = await turn_of(made, messages, tools=None, temperature=0.5, stop="END", frequency_penalty=0.1)
    assert (turn.text, turn.calls) == ('{"name": "add", "arguments": {}}', ())
    request = model.requests[0]
    assert list(request.messages) == messages
    assert (request.stop, dict(request.sampling)) == (("END",), {"temperature": 0.5, "frequency_penalty": 0.1})


@pytest.mark.parametrize("streamed", [True, False])
async def test_stop_words_hold_for_what_the_client_sees(streamed: bool) -> None:
    made, model = backend(spoken("Thought: one two\nFinal Answer: one two three"))
    if streamed:
        content, _, turn = await pieces_of(made, stop=["two"])
        assert content == "one "
    else:
        turn = await turn_of(made, stop=["two"])
    assert (turn.text, turn.finish_reason) == ("one ", "stop")
    assert "two" not in model.requests[0].stop


@pytest.mark.parametrize("words", ["", [], [""], None])
async def test_no_stop_words_stop_nothing(words: Any) -> None:
    assert (await turn_of(backend(spoken(ANSWER))[0], stop=words)).text == "It is sunny."


async def test_a_stream_that_a_stop_word_ends_says_on_which_path_it_was() -> None:
    _, _, turn = await pieces_of(backend(spoken("one two"), native=True)[0], stop=["two"])
    assert (turn.text, turn.path) == ("one ", "native")


async def test_calls_behind_a_stop_word_are_left_out_whole_and_streamed() -> None:
    reply = Reply("one two", (RawCall("c1", "add", '{"a": 1, "b": 2}'),), finish_reason="tool_calls")
    asked: dict[str, Any] = {"tool_choice": "required", "stop": "two"}  # nothing is shown before the reply is whole
    whole = await turn_of(backend(reply, native=True)[0], **asked)
    content, _, turn = await pieces_of(backend(reply, native=True)[0], **asked)
    assert (whole.text, whole.calls, whole.finish_reason) == ("one ", (), "stop")
    assert (content, without_ids(turn)) == ("one ", without_ids(whole))


async def test_a_stream_shows_each_reply_once_when_the_first_is_mended() -> None:
    bad = Reply("Let me see.", (RawCall("c1", "get_weather", '{"days": 1}'),), "Hm.", "tool_calls")
    good = Reply("It is sunny.", reasoning="So.", finish_reason="stop")
    content, reasoning, turn = await pieces_of(backend(bad, good, native=True)[0])
    assert (content, reasoning) == ("Let me see.\n\nIt is sunny.", "Hm.\nSo.")
    assert (turn.text, turn.repairs) == ("It is sunny.", 1)


async def test_a_request_that_was_under_way_does_not_undo_what_another_learned() -> None:
    refused = asyncio.Event()

    async def slow(_: Any) -> Reply:
        await refused.wait()
        return native_call("add", a=1, b=2)

    made, _ = backend(slow, ToolsRefused("no tools", status=400), spoken(CALL), native=True)
    under_way = asyncio.ensure_future(turn_of(made))
    await asyncio.sleep(0)
    assert (await turn_of(made)).path == "prompt"
    refused.set()
    assert (await under_way).path == "native"
    assert made.profile.function_calling is False


SCHEMA = {"type": "object", "properties": {"sky": {"type": "string"}}, "required": ["sky"]}
FORMAT = {"type": "json_schema", "json_schema": {"name": "weather", "schema": SCHEMA}}


async def test_an_answer_in_json_is_asked_for_and_checked() -> None:
    wrong = spoken('Thought: x\nFinal Answer: {"sea": "calm"}')
    right = spoken('Thought: x\nFinal Answer: ```json\n{"sky": "clear"}\n```')
    made, model = backend(wrong, right)
    turn = await turn_of(made, response_format=FORMAT)
    assert (turn.text, turn.repairs) == ('{"sky": "clear"}', 1)
    assert "JSON Schema" in model.requests[0].messages[0]["content"]
    assert "response_format" not in model.requests[0].sampling


async def test_an_answer_that_stays_no_json_is_content_with_the_problem() -> None:
    wrong = spoken("Thought: x\nFinal Answer: blue")
    content, _, turn = await pieces_of(backend(wrong, wrong)[0], response_format={"type": "json_object"})
    assert (content, turn.text, turn.problems[0].code) == ("blue", "blue", "unfit-answer")


def _refusing(saying: str, *answers: str) -> Callable[[Request], Canned]:
    """A server that takes no ``response_format``, and gives one answer after the other where there is none."""
    left = iter(answers)

    def answer(request: Request) -> Canned:
        if "response_format" in (body := request.json()):
            return Canned({"error": {"message": saying, "type": "invalid_request_error"}}, 400)
        text = next(left)
        return sse(chunks(*text.partition(" "), usage=False)) if body.get("stream") else Canned(completion(text))

    return answer


def _backend_at(server: Server, *, native: bool) -> Backend:
    record = ModelProfile("m", function_calling=native, client="http", api_base=server.url)
    return Backend(HttpModel(record, max_retries=0), record, Templates())


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize(
    "saying",
    [
        "response_format is not supported by this model",
        "This response_format type is unavailable now",
        "'response_format.type' must be 'json_schema' or 'text'",
        "This model does not support response format `json_schema`. See supported models.",
    ],
)
async def test_without_tools_the_server_is_asked_for_json_and_told_where_it_cannot(saying: str, native: bool) -> None:
    with serve(_refusing(saying, '{"sky": "clear"}', '{"sky": "grey"}')) as server:
        made = _backend_at(server, native=native)
        assert (await turn_of(made, tools=None, response_format=FORMAT)).text == '{"sky": "clear"}'
        assert (await turn_of(made, tools=None, response_format=FORMAT)).text == '{"sky": "grey"}'
        assert [("response_format" in body) for body in server.bodies] == [True, False, False]
        assert "JSON Schema" in server.bodies[1]["messages"][0]["content"]


@pytest.mark.parametrize("streamed", [True, False])
async def test_a_format_that_a_native_server_refuses_is_checked_here(streamed: bool) -> None:
    with serve(_refusing("response_format is not supported", "It is clear.", '{"sky": "clear"}')) as server:
        made = _backend_at(server, native=True)
        if streamed:
            content, _, turn = await pieces_of(made, tools=None, response_format=FORMAT)
            assert content == turn.text
        else:
            turn = await turn_of(made, tools=None, response_format=FORMAT)
    assert (turn.text, turn.repairs, len(server.bodies)) == ('{"sky": "clear"}', 1, 3)


async def test_a_format_is_checked_before_it_is_shown_where_tools_are_refused() -> None:
    wrong, right = (spoken(f"Thought: x\nFinal Answer: {answer}") for answer in ("It is clear.", '{"sky": "clear"}'))

    async def later(_: Any) -> Reply:
        await asyncio.sleep(0)  # whoever is shown the stream has seen all of the wrong answer by now
        return right

    made, _ = backend(ToolsRefused("no tools", status=400), wrong, later, native=True)
    content, _, turn = await pieces_of(made, response_format=FORMAT)
    assert (content, turn.repairs, turn.path) == ('{"sky": "clear"}', 1, "prompt")


async def test_a_refused_form_of_answers_says_nothing_about_others() -> None:
    def answer(request: Request) -> Canned:
        if request.json().get("response_format") == {"type": "json_object"}:
            return Canned({"error": "'response_format.type' must be 'json_schema' or 'text'"}, 400)
        return Canned(completion('{"sky": "clear"}'))

    with serve(answer) as server:
        made = _backend_at(server, native=True)
        for form in ({"type": "json_object"}, FORMAT):
            assert (await turn_of(made, tools=None, response_format=form)).text == '{"sky": "clear"}'
        assert [("response_format" in body) for body in server.bodies] == [True, False, True]


async def test_a_native_server_gets_the_format_as_it_is() -> None:
    made, model = backend(spoken('{"sky": "clear"}'), native=True)
    await turn_of(made, response_format=FORMAT)
    assert model.requests[0].sampling["response_format"] == FORMAT


async def test_history_is_shown_in_the_form_of_the_prompt() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
    messages = [
        *ASKED,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
    ]
    made, model = backend(spoken(ANSWER))
    assert (await turn_of(made, messages)).text == "It is sunny."
    assert model.requests[0].messages[3]["content"] == "Observation: sunny"
    assert 'Action Input: {"city": "Oslo"}' in model.requests[0].messages[2]["content"]


async def test_images_are_left_alone() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    parts = [{"type": "text", "text": "What is this?"}, image]
    made, model = backend(spoken(ANSWER))
    await turn_of(made, [{"role": "user", "content": parts}])
    assert model.requests[0].messages[-1]["content"] == parts


async def test_the_system_text_of_a_client_stands_in_the_prompt() -> None:
    made, model = backend(spoken(ANSWER))
    await turn_of(made, [{"role": "system", "content": "Speak like a pirate."}, *ASKED])
    assert "# Instructions\nSpeak like a pirate." in model.requests[0].messages[0]["content"]
    assert len(model.requests[0].messages) == 2


async def test_the_older_name_of_the_token_limit_is_sent_to_servers_of_ones_own() -> None:
    made, model = backend(spoken(ANSWER))
    await turn_of(made, max_completion_tokens=7)
    assert dict(model.requests[0].sampling) == {"max_tokens": 7}


async def test_leaving_a_stream_cancels_the_request() -> None:
    from react_engine.provider.request import read_request

    made, model = backend(spoken(ANSWER))
    stream = made.stream(read_request(ASKED, {"tools": [ADD]}))
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]
    assert len(model.requests) == 1


async def test_paths_of_the_same_tools_are_made_once() -> None:
    made, _ = backend(*(spoken(ANSWER) for _ in range(3)))
    for tools in (TOOLS, TOOLS, [ADD]):
        await turn_of(made, tools=tools)
    assert len(made._paths) == 2


SCRAPS = st.lists(st.sampled_from(["a", " ", "\n", "<thi", "<", "b"]), max_size=4).map("".join)


@given(SCRAPS, st.lists(st.tuples(SCRAPS, SCRAPS), max_size=2), st.integers(1, 7))
def test_a_plain_stream_shows_the_beginning_of_what_the_whole_shows(
    first: str, more: list[tuple[str, str]], size: int
) -> None:
    text = first + "".join(f"<think>{thought}</think>{said}" for thought, said in more)
    stream, shown = PlainStream((("<think>", "</think>"),)), {"answer": "", "thought": ""}
    for at in range(0, len(text), size):
        for delta in stream.feed(Chunk(text[at : at + size])):
            shown[delta.kind] += delta.text
    answer, thought = plain_text(text)
    assert answer.startswith(shown["answer"])
    assert (thought or "").startswith(shown["thought"])


@pytest.mark.parametrize(
    ("refused", "record"),
    [("constraint", {"constraint": "gbnf"}), ("strict", {"native": True, "strict": True})],
)
async def test_what_one_request_made_the_server_refuse_is_asked_of_it_again_in_the_next(
    refused: str, record: dict[str, Any]
) -> None:
    error = ModelError(f"{refused} is not supported", status=400)
    error.refused = refused
    made, model = backend(error, *[spoken("It is sunny.")] * 2, **record)
    before = made.profile
    for _ in range(2):
        assert (await turn_of(made)).text == "It is sunny."
    assert made.profile == before
    assert len(model.requests) == 3
