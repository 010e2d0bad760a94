"""The engine on real small models, embedded: both rows of the capability table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from react_engine import EndState, Engine, FallbackReason, Limits, events
from react_engine.toolbox import make_all
from react_engine.tools.function import tool

pytestmark = pytest.mark.local_model
SMALL, TINY = "local/qwen2.5-coder-0.5b", "local/smollm2-135m"
LIMITS = Limits(steps=4, calls=6)


@tool
def get_weather(city: str) -> str:
    """Get the weather."""
    return f"{city}: 7 degrees, rain"


@contextmanager
def engine(model: str, **options: object) -> Iterator[Engine]:
    """An engine with the calculator, if no other tools are given; its model is released afterwards."""
    tools = options.pop("tools", None) or make_all("calculator")
    made = Engine(model, tools, limits=LIMITS, **options)  # type: ignore[arg-type]
    try:
        yield made
    finally:
        made.close()


def test_a_native_call_that_leaks_into_the_text_is_run() -> None:
    with engine(SMALL, profile={"function_calling": True}) as native:
        run = native.run("What is 37 * 412?", tool_choice="auto", sampling={"max_tokens": 120})
    assert run.steps[0].path == "native"
    assert run.steps[0].calls[0].arguments == {"expression": "37 * 412"}
    assert run.steps[0].results[0].text == "15244"
    assert run.fallbacks[0].reason is FallbackReason.LEAKED_CALL


def test_a_required_call_is_made_on_the_prompt_path() -> None:
    with engine(SMALL) as prompted:
        run = prompted.run("Compute 37 * 412 with the calculator.", tool_choice="calculator")
    assert run.steps[0].path == "prompt"
    assert any("15244" in result.text for result in run.results)


def test_a_template_that_knows_no_tools_is_noticed() -> None:
    with engine(TINY, profile={"function_calling": True}) as native:
        run = native.run("What is 37 * 412?", sampling={"max_tokens": 60})
    assert run.fallbacks[0].reason is FallbackReason.TOOLS_DROPPED
    assert all(step.path == "prompt" for step in run.steps)
    assert run.end in EndState


def test_the_stream_of_a_real_model_ends_in_the_same_run() -> None:
    with engine(SMALL) as streamed:
        heard = list(streamed.stream("Say hello.", sampling={"max_tokens": 60}))
        whole = streamed.run("Say hello.", sampling={"max_tokens": 60})
    last = heard[-1]
    assert isinstance(last, events.RunEnded)
    assert (last.run.end, last.run.answer) == (whole.end, whole.answer)
    shown = "".join(event.text for event in heard if isinstance(event, events.AnswerDelta))
    assert shown == (last.run.answer or "")


def test_a_base_model_is_spoken_to_by_completion() -> None:
    with engine(TINY, profile={"chat": False}) as completing:
        run = completing.run("What is 2 + 2?", sampling={"max_tokens": 40})
    assert run.usage.completion_tokens > 0
    assert run.end in EndState


@pytest.mark.slow
@pytest.mark.parametrize("path", ["prompt", "native"])
def test_the_default_model_does_the_task_of_the_readme(path: str) -> None:
    with engine("local/qwen2.5-coder-1.5b", path=path) as default:
        run = default.run("What is 37 * 412?")
    assert run.end is EndState.ANSWERED
    assert "15244" in (run.answer or "")
    assert run.steps[0].calls[0].arguments == {"expression": "37 * 412"}


def test_the_tiniest_model_calls_when_it_is_held_to_the_form() -> None:
    with engine(TINY) as held:
        run = held.run("What is 37 * 412?", tool_choice="required", sampling={"max_tokens": 60})
    assert run.steps[0].calls[0].arguments == {"expression": "37 * 412"}
    assert run.slips == 0


def test_the_small_model_calls_once_and_answers_from_the_result() -> None:
    with engine(SMALL, tools=[*make_all("calculator"), get_weather]) as gated:
        run = gated.run("What is the weather in Oslo?")
    assert [(call.name, call.arguments) for call in run.calls] == [("get_weather", {"city": "Oslo"})]
    assert "7" in (run.answer or "")


def test_a_model_that_is_greeted_uses_no_tool() -> None:
    with engine(SMALL) as gated:
        run = gated.run("Hello, how are you today?", sampling={"max_tokens": 120})
    assert run.gate is not None
    assert run.gate.verdict != "call"
    assert run.calls == ()
