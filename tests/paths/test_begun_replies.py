"""Servers that go on with a reply that was begun for them: results stand in the assistant's turn."""

from __future__ import annotations

from typing import Any

import pytest

from react_engine import Engine, events
from react_engine.models.base import ModelRequest, Reply
from react_engine.models.completion import without_prefill
from react_engine.models.profile import ModelProfile
from react_engine.models.scripted import ScriptedModel
from tests.driving import add

CONTINUES = ModelProfile("scripted", function_calling=False, continues=True)
BASE = ModelProfile("scripted", function_calling=False, chat=False)
ACT = ' I add.\nAction: add\nAction Input: {"a": 1, "b": 2}'
END = " I know.\nFinal Answer: It is 3."


def run(replies: list[Any], profile: ModelProfile = CONTINUES) -> tuple[Any, list[ModelRequest]]:
    model = ScriptedModel(replies, profile=profile)
    return Engine(model, [add]).run("1 + 2?"), model.requests


def test_the_request_ends_in_the_begun_thought_behind_the_steps_so_far() -> None:
    done, requests = run([ACT, END])
    assert done.answer == "It is 3."
    assert [message["role"] for message in requests[1].messages] == ["system", "user", "assistant"]
    assert requests[0].messages[-1]["content"] == "Thought:"
    assert requests[1].messages[-1]["content"] == (
        'Thought: I add.\nAction: add\nAction Input: {"a": 1, "b": 2}\nObservation: 3.0\nThought:'
    )


@pytest.mark.parametrize("profile", [CONTINUES, BASE], ids=["continues", "base"])
def test_the_text_before_the_action_is_the_thought(profile: ModelProfile) -> None:
    done, _ = run([ACT, END], profile)
    assert [step.thought for step in done.steps] == ["I add.", "I know."]


@pytest.mark.parametrize("size", [1, 7])
def test_the_begun_thought_is_shown_as_it_arrives(size: int) -> None:
    model = ScriptedModel([ACT, END], profile=CONTINUES, chunk_size=size)
    told = list(Engine(model, [add]).stream("1 + 2?"))
    assert "".join(event.text for event in told if isinstance(event, events.ThoughtDelta)) == "I add.I know."
    assert "".join(event.text for event in told if isinstance(event, events.AnswerDelta)) == "It is 3."


def test_a_thought_without_a_step_is_asked_for_again() -> None:
    done, requests = run([" Known: nothing. Next: add them.", ACT, END])
    assert (done.answer, done.slips) == ("It is 3.", 1)
    roles = [message["role"] for message in requests[1].messages]
    assert roles == ["system", "user", "assistant"], "the slip is told in the turn of the user"
    assert "Next: add them." in requests[1].messages[1]["content"]


def test_a_reply_that_repeats_its_beginning_loses_it() -> None:
    request = ModelRequest(messages=({"role": "assistant", "content": "Thought:"},))
    assert without_prefill(Reply("Thought: x"), request) == Reply(" x")
    assert without_prefill(Reply(" x"), request) == Reply(" x")
    asked = ModelRequest(messages=({"role": "user", "content": "Thought:"},))
    assert without_prefill(Reply("Thought: x"), asked) == Reply("Thought: x")
