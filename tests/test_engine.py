"""The engine as a whole, against scripted models: both paths, streams, sessions, extraction."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from react_engine import (
    ConfigurationError,
    EndState,
    Engine,
    LimitReached,
    Limits,
    Message,
    ModelProfile,
    Registry,
    Reply,
    Run,
    ScriptedModel,
    Status,
    ToolError,
    tool,
)
from react_engine import events as told
from react_engine.models.base import Chunk, ModelRequest, RawCall
from react_engine.models.scripted import native_call, native_calls
from react_engine.settings import Settings

NATIVE = ModelProfile("scripted", function_calling=True)
PROMPT = ModelProfile("scripted", function_calling=False)
ADD = 'Thought: I add.\nAction: add\nAction Input: {"a": 1, "b": 2}'
ANSWER = "Thought: I know.\nFinal Answer: It is 3."


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool(side_effects=True)
def pay(amount: int) -> str:
    """Pay an amount."""
    return f"paid {amount}"


@tool
def find(city: str) -> str:
    """Find a city."""
    raise ToolError(f"There is no city {city}.", code="CITY_NOT_FOUND", hint="Did you mean Oslo?")


def engine(replies: list[Any], profile: ModelProfile = PROMPT, **options: Any) -> tuple[Engine, ScriptedModel]:
    model = ScriptedModel(replies, profile=profile, chunk_size=options.pop("chunk_size", 5))
    return Engine(model, [add, pay, find], **options), model


def script(profile: ModelProfile) -> list[Any]:
    return [ADD, ANSWER] if profile is PROMPT else [native_call("add", a=1, b=2), "It is 3."]


@pytest.mark.parametrize("profile", [PROMPT, NATIVE], ids=["prompt", "native"])
def test_sync_async_and_stream_give_the_same_run(profile: ModelProfile) -> None:
    runs = [
        engine(script(profile), profile)[0].run("1 + 2?"),
        asyncio.run(engine(script(profile), profile)[0].arun("1 + 2?")),
        _last(list(engine(script(profile), profile)[0].stream("1 + 2?"))),
        asyncio.run(_collected(engine(script(profile), profile)[0])),
    ]
    assert [run.end for run in runs] == [EndState.ANSWERED] * 4
    assert {run.answer for run in runs} == {"It is 3."}
    assert {tuple((call.name, tuple(call.arguments.items())) for call in run.calls) for run in runs} == {
        (("add", (("a", 1), ("b", 2))),)
    }
    assert {tuple(result.text for result in run.results) for run in runs} == {("3",)}


async def _collected(engine: Engine) -> Run:
    return _last([event async for event in engine.astream("1 + 2?")])


def _last(events: list[told.Event]) -> Run:
    assert isinstance(events[-1], told.RunEnded)
    return events[-1].run


@pytest.mark.parametrize("size", [1, 3, 8, 1000])
def test_the_stream_shows_thought_call_result_and_answer_in_order(size: int) -> None:
    events = list(engine([ADD, ANSWER], chunk_size=size)[0].stream("1 + 2?"))
    kinds = [type(event).__name__ for event in events]
    assert [kind for i, kind in enumerate(kinds) if i == 0 or kind != kinds[i - 1]] == [
        "StepBegan", "ThoughtDelta", "CallBegan", "CallEnded", "StepBegan", "ThoughtDelta", "AnswerDelta", "RunEnded",
    ]  # fmt: skip
    thoughts = "".join(event.text for event in events if isinstance(event, told.ThoughtDelta))
    answers = "".join(event.text for event in events if isinstance(event, told.AnswerDelta))
    assert (thoughts, answers) == ("I add.I know.", "It is 3.")


def test_a_stream_is_left_when_the_model_begins_to_invent() -> None:
    babble = ADD + "\nObservation: 3\nThought: more\n" + "and more\n" * 1000
    given = []

    class Counting(ScriptedModel):
        async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
            async for chunk in super().stream(request):
                given.append(chunk)
                yield chunk

    run = _last(list(Engine(Counting([babble, ANSWER], profile=PROMPT), [add]).stream("1 + 2?")))
    assert run.answer == "It is 3."
    assert len(given) < 100


def test_only_one_flag_of_the_config_file_decides_the_path(tmp_path: Any) -> None:
    """The same task, tools, validation errors and limits on both paths."""
    runs = {}
    for flag in ("true", "false"):
        file = tmp_path / "react-engine.toml"
        file.write_text(f'model = "scripted"\n[limits]\nsteps = 4\n[models.scripted]\nfunction_calling = {flag}\n')
        settings = Settings.load(file)
        native = flag == "true"
        model = ScriptedModel(
            [
                native_call("add", a=1) if native else 'Action: add\nAction Input: {"a": 1, "b": "x"}',
                native_call("add", a=1, b="x") if native else 'Action: add\nAction Input: {"a": 1, "b": "x"}',
                native_call("add", a=1, b=2) if native else ADD,
                "It is 3." if native else ANSWER,
            ],
            name="scripted",
        )
        from react_engine.models.table import table_for

        profile = table_for(settings).profile("scripted")
        runs[flag] = Engine(model, [add], record=profile, limits=settings.limits).run("1 + 2?")
        assert runs[flag].steps[0].path == ("native" if native else "prompt")
    native_run, prompt_run = runs["true"], runs["false"]
    assert (native_run.end, native_run.answer) == (prompt_run.end, prompt_run.answer) == (EndState.ANSWERED, "It is 3.")
    assert native_run.results[1].text == prompt_run.results[1].text
    assert native_run.results[1].status is prompt_run.results[1].status is Status.VALIDATION_ERROR
    assert native_run.results[-1].text == prompt_run.results[-1].text == "3"


@pytest.mark.parametrize("given", ["object", "record"])
def test_fields_of_a_record_can_be_overridden_for_a_model_that_is_an_object(given: str) -> None:
    record = ModelProfile("m", function_calling=False, sampling={"temperature": 0.5})
    options: dict[str, Any] = {"record": record} if given == "record" else {}
    overrides = {"function_calling": True, "sampling": {"seed": 1}}
    made = Engine(ScriptedModel([], profile=record), profile=overrides, **options)
    assert (made.profile.function_calling, made.profile.sampling) == (True, {"temperature": 0.5, "seed": 1})
    assert made.profile.sources["function_calling"].kind == "argument"
    assert Engine(ScriptedModel([], profile=record), profile={"function_calling": "auto"}).profile == record


def test_the_path_changes_in_the_middle_of_a_conversation_without_loss() -> None:
    replies = [
        native_call("add", a=1, b=2),
        "It is 3.",
        ADD.replace("1", "3"),
        "Final Answer: It is 5.",
        "Both: 3 and 5.",
    ]
    both, model = engine(replies, NATIVE)
    session = both.session()
    assert session.run("1 + 2?").answer == "It is 3."
    assert session.run("And 3 + 2?", path="prompt").answer == "It is 5."
    assert session.run("Which were they?", path="native").answer == "Both: 3 and 5."
    prompted = "\n".join(str(message["content"]) for message in model.requests[2].messages)
    assert "Action: add" in prompted
    assert "It is 3." in prompted
    assert model.requests[2].tools == ()
    natively = model.requests[4].messages
    assert [message["role"] for message in natively] == [
        "user", "assistant", "tool", "assistant", "user", "assistant", "tool", "assistant", "user",
    ]  # fmt: skip


def test_a_failed_turn_leaves_the_conversation_as_it_was() -> None:
    talking, _ = engine([ANSWER])
    session = talking.session()
    session.run("1 + 2?")
    before = session.transcript
    assert session.run("And now?").end is EndState.ERROR  # the script is at its end
    assert session.transcript == before


def test_a_tool_with_side_effects_asks_first() -> None:
    call = 'Action: pay\nAction Input: {"amount": 5}'
    asked = []

    def confirm(call: Any, tool: Any) -> bool:
        asked.append((tool.name, call.arguments))
        return True

    denied = engine([call, "Final Answer: no"])[0].run("Pay!")
    allowed = engine([call, "Final Answer: yes"], confirm=confirm)[0].run("Pay!")
    assert denied.results[0].status is Status.DENIED
    assert (allowed.results[0].text, asked) == ("paid 5", [("pay", {"amount": 5})])


def test_a_lossy_reading_does_not_run_a_tool_with_side_effects() -> None:
    misspelled = 'Action: payy\nAction Input: {"amount": 5}'
    run = engine(["Action: addd\nAction Input: {'a': 1, 'b': 2}", ANSWER])[0].run("1 + 2?")
    assert run.results[0].text == "3"
    registry = Registry([tool(side_effects=True)(_transfer)])
    refused = Engine(
        ScriptedModel([misspelled.replace("payy", "transferr"), ANSWER], profile=PROMPT),
        registry,
        confirm=lambda *_: True,
    ).run("Transfer!")
    assert refused.results[0].status is Status.VALIDATION_ERROR


def _transfer(amount: int) -> str:
    """Transfer an amount."""
    return f"transferred {amount}"


_transfer.__name__ = "transfer"


def test_a_business_error_goes_back_to_the_model_with_its_hint() -> None:
    run, model = None, None
    finding, model = engine(['Action: find\nAction Input: {"city": "Olso"}', ANSWER])
    run = finding.run("Where?")
    assert (run.results[0].status, run.results[0].code) == (Status.BUSINESS_ERROR, "CITY_NOT_FOUND")
    assert "Did you mean Oslo?" in str(model.requests[1].messages[-1]["content"])


class Book(BaseModel):
    """A book that the text names."""

    title: str
    year: int = Field(ge=1000)
    genre: Literal["novel", "poetry"] | None = None


@pytest.mark.parametrize("profile", [PROMPT, NATIVE], ids=["prompt", "native"])
def test_extraction_gives_an_instance_on_both_paths(profile: ModelProfile) -> None:
    wrong = {"title": "Emma", "year": 12}
    good = {"title": "Emma", "year": "1815", "genre": "Novel"}
    replies = [
        native_call("record_book", **given) if profile is NATIVE else f"Action: record_book\nAction Input: {given}"
        for given in (wrong, good)
    ]
    extracting, model = engine(replies, profile)
    assert extracting.extract(Book, "Emma is a novel of 1815.") == Book(title="Emma", year=1815, genre="novel")
    if profile is NATIVE:
        forced = {"type": "function", "function": {"name": "record_book"}}
        assert [request.tool_choice for request in model.requests] == [forced, forced]


def test_extraction_keeps_what_looks_like_a_secret() -> None:
    class Login(BaseModel):
        user: str
        password: str

    call = native_call("record_login", user="ada", password="correct-horse-battery")
    found = engine([call], NATIVE)[0].extract(Login, "Ada's password is correct-horse-battery.")
    assert found == Login(user="ada", password="correct-horse-battery")


def test_extraction_that_finds_nothing_says_so() -> None:
    with pytest.raises(LimitReached, match="No valid Book") as raised:
        engine(["I see no book."] * 3, NATIVE)[0].extract(Book, "Rain.")
    assert raised.value.run is not None


def test_a_base_model_is_asked_for_a_completion() -> None:
    completing, model = engine([ADD, ANSWER], ModelProfile("base", function_calling=False, chat=False))
    assert completing.run("1 + 2?").answer == "It is 3."
    assert all(request.messages == () and request.prompt for request in model.requests)
    assert "Observation: 3" in (model.requests[1].prompt or "")


def test_settings_that_cannot_be_used_are_told_at_once() -> None:
    with pytest.raises(ConfigurationError, match="path must be"):
        engine([], path="sideways")
    with pytest.raises(ConfigurationError, match="path must be"):
        engine([ANSWER])[0].run("?", path="sideways")
    with pytest.raises(ConfigurationError, match=r"pass \[add\]"):
        Engine(ScriptedModel([]), add)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="Did you mean function_calling"):
        Engine(ScriptedModel([]), profile={"function_caling": True})
    with pytest.raises(ConfigurationError, match="Limit steps"):
        engine([], limits=Limits(steps=0))
    with pytest.raises(ConfigurationError, match="colour"):
        engine([], templates={"react.en.j2": "{{ colour }}"})
    with pytest.raises(ConfigurationError, match="A model is"):
        Engine(42)  # type: ignore[arg-type]


@pytest.mark.parametrize("streamed", [True, False])
def test_async_code_that_calls_the_sync_method_inside_a_run_is_told(streamed: bool) -> None:
    @tool
    async def nested() -> str:
        """Run another task the wrong way."""
        inner = engine([ANSWER])[0]
        run = _last(list(inner.stream("?"))) if streamed else inner.run("?")
        return run.answer or ""

    run = Engine(ScriptedModel(["Action: nested\nAction Input: {}", ANSWER], profile=PROMPT), [nested]).run("?")
    assert run.results[0].status is Status.EXECUTION_ERROR
    assert "arun" in run.results[0].text


def test_a_sync_tool_may_run_another_engine() -> None:
    @tool
    def nested() -> str:
        """Run another task."""
        return engine([ANSWER])[0].run("?").answer or ""

    run = Engine(ScriptedModel(["Action: nested\nAction Input: {}", ANSWER], profile=PROMPT), [nested]).run("?")
    assert run.results[0].text == "It is 3."


def test_leaving_a_stream_cancels_the_run() -> None:
    started = asyncio.Event()
    stopped = asyncio.Event()

    @tool(timeout=None)
    async def wait() -> str:
        """Wait for ever."""
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return ""

    async def leave() -> None:
        waiting = Engine(ScriptedModel(["Action: wait\nAction Input: {}"], profile=PROMPT), [wait])
        stream = waiting.astream("?")
        async for event in stream:
            if isinstance(event, told.CallBegan):
                break
        await stream.aclose()  # type: ignore[attr-defined]
        assert not started.is_set() or stopped.is_set()

    asyncio.run(leave())


def test_a_cancelled_run_tells_its_listener_how_far_it_came() -> None:
    heard: list[told.Event] = []

    async def cancel() -> None:
        blocked = ScriptedModel([ADD, lambda _: _for_ever()], profile=PROMPT)
        task = asyncio.ensure_future(Engine(blocked, [add]).arun("1 + 2?", listener=heard.append))
        while not any(isinstance(event, told.CallEnded) for event in heard) or len(blocked.requests) < 2:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    run = _last(heard)
    assert (run.end, len(run.steps)) == (EndState.CANCELLED, 1)


def test_a_run_cancelled_among_its_calls_keeps_what_was_done() -> None:
    heard: list[told.Event] = []

    @tool(timeout=None)
    async def wait() -> str:
        """Wait for ever."""
        return await _for_ever()

    async def cancel() -> None:
        model = ScriptedModel(
            [native_calls(("pay", {"amount": 3}), ("wait", {}), ("pay", {"amount": 4}))], profile=NATIVE
        )
        made = Engine(model, [pay, wait], confirm=lambda call, tool: True)
        task = asyncio.ensure_future(made.arun("?", listener=heard.append))
        while not any(isinstance(event, told.CallBegan) and event.call.name == "wait" for event in heard):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    run = _last(heard)
    assert run.end is EndState.CANCELLED
    assert [(r.name, r.status) for r in run.results] == [
        ("pay", Status.SUCCESS),
        ("wait", Status.CANCELLED),
        ("pay", Status.CANCELLED),
    ]


def test_the_time_of_a_run_is_up_while_a_request_or_a_tool_hangs() -> None:
    @tool(timeout=None)
    async def wait() -> str:
        """Wait for ever."""
        return await _for_ever()

    asking = ScriptedModel([ADD, lambda _: _for_ever()], profile=PROMPT)
    calling = ScriptedModel([native_calls(("pay", {"amount": 3}), ("wait", {}))], profile=NATIVE)
    limits = Limits(seconds=0.2)
    runs = [
        Engine(asking, [add], limits=limits).run("1 + 2?"),
        Engine(calling, [pay, wait], confirm=lambda call, tool: True).run("?", limits=limits),
    ]

    assert [run.end for run in runs] == [EndState.BUDGET, EndState.BUDGET]
    assert all("0.2 seconds" in run.message for run in runs)
    assert [result.ok for result in runs[0].results] == [True]
    assert [(result.name, result.status) for result in runs[1].results] == [
        ("pay", Status.SUCCESS),
        ("wait", Status.CANCELLED),
    ]


async def _for_ever() -> str:
    await asyncio.Event().wait()
    return ""


@given(
    st.lists(
        st.text(max_size=80)
        | st.sampled_from(
            [ADD, ANSWER, "Action: pay\nAction Input: {", "<tool_call>{", "```json\n{\n", "Observation: x", "\ud800"]
        )
        | st.builds(
            lambda name, arguments: Reply("", (RawCall("1", name, arguments),)),
            st.sampled_from(["add", "pay", "", "no such"]),
            st.text(max_size=30),
        ),
        max_size=6,
    ),
    st.sampled_from([PROMPT, NATIVE]),
    st.booleans(),
)
def test_nothing_a_model_says_raises_out_of_a_run(replies: list[Any], profile: ModelProfile, streamed: bool) -> None:
    saying, _ = engine([*replies, ANSWER, ANSWER, ANSWER, ANSWER], profile)
    run = _last(list(saying.stream("?"))) if streamed else saying.run("?")
    assert run.end in EndState
    assert len(run.results) == len(run.calls)


def test_what_a_user_message_carries_besides_text_is_passed_on() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    seeing, model = engine(["It is red."], NATIVE)
    seeing.run(Message("user", "Which colour?", parts=(image,)))
    assert model.requests[0].messages[0]["content"] == [{"type": "text", "text": "Which colour?"}, image]
