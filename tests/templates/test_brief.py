"""Prompts without thoughts: examples are turns of the conversation, and a step is a call or an answer."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from react_engine import Engine, events
from react_engine.constraints.frames import Order, step_grammar
from react_engine.models.profile import ModelProfile
from react_engine.models.scripted import ScriptedModel
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.reader import read
from react_engine.paths.prompt import PromptPath
from react_engine.templates import LABELS, Templates
from react_engine.tools.schema import signature
from react_engine.types import Message, Problem
from tests.driving import add
from tests.templates.test_render import KEPT, SIGNATURES

BRIEF = ModelProfile("scripted", function_calling=False, continues=True, thoughts=False)
ACT = 'Action: add\nAction Input: {"a": 1, "b": 2}'


def run(replies: list[str], **options: Any) -> tuple[Any, list[Any]]:
    model = ScriptedModel(replies, profile=BRIEF)
    return Engine(model, [add], **options).run("1 + 2?"), model.requests


@pytest.mark.parametrize("language", LABELS)
def test_the_brief_system_text_is_the_one_kept(language: str) -> None:
    text = Templates(language).without_thoughts().system(SIGNATURES, instructions="Answer in one sentence.")
    assert text == (KEPT / f"brief.{language}.txt").read_text(encoding="utf-8").strip()


@pytest.mark.parametrize("language", LABELS)
def test_examples_are_turns_whose_steps_can_be_read(language: str) -> None:
    templates = Templates(language).without_thoughts()
    examples = templates.examples
    system = templates.system([signature(add)])
    index = ToolIndex(
        [{"name": line.partition("(")[0], "parameters": {}} for line in system.splitlines() if ") - " in line]
    )
    assert examples[0]["role"] == "user"
    assert all(one["role"] != other["role"] for one, other in pairwise(examples))
    for turn in examples:
        if turn["role"] == "assistant":
            found = read(turn["content"], index, "react")
            assert found.calls or found.answer
            assert all(call.name in system for call in found.calls)


def test_results_stand_in_the_turn_of_the_assistant_and_no_thought_is_begun() -> None:
    done, requests = run([ACT, "Final Answer: It is 3."])
    assert (done.answer, done.slips) == ("It is 3.", 0)
    first, second = (request.messages for request in requests)
    assert first[-1] == {"role": "user", "content": "1 + 2?"}
    assert second[:-1] == first
    assert second[-1] == {"role": "assistant", "content": f"{ACT}\nObservation: 3.0\n"}
    assert "Thought" not in str(second)


def test_thoughts_that_come_all_the_same_are_not_shown_to_the_model_again() -> None:
    done, requests = run([f"Thought: I add.\n{ACT}", "Final Answer: It is 3."])
    assert done.steps[0].thought == "I add."
    assert "Thought" not in str(requests[1].messages)


def test_a_slip_is_answered_with_the_form_without_thoughts() -> None:
    told = Templates().without_thoughts().repair("Action:", [Problem("no_action", "There is no action.", "")])
    assert "Thought" not in told
    assert "Final Answer: (the answer to the user)" in told


@pytest.mark.parametrize("size", [1, 7])
def test_a_brief_answer_is_shown_as_it_arrives(size: int) -> None:
    model = ScriptedModel([ACT, "Final Answer: It is 3."], profile=BRIEF, chunk_size=size)
    told = list(Engine(model, [add]).stream("1 + 2?"))
    assert "".join(event.text for event in told if isinstance(event, events.AnswerDelta)) == "It is 3."


def test_the_gate_looks_at_the_first_word_of_the_step() -> None:
    profile = ModelProfile("m", continues=True, thoughts=False, gate=(0.1, 0.6))
    path = PromptPath(profile, [add], Templates())
    request = path.gate_request((Message.user("1 + 2?"),))
    assert request is not None
    assert request.messages[-1] == {"role": "user", "content": "1 + 2?"}
    assert path.gate_lead == ""


@pytest.mark.parametrize(
    "overrides", [{"react.en.j2": "Mine. {{ tools | length }}"}, {"react_brief.en.j2": "Mine. {{ tools | length }}"}]
)
def test_a_system_text_of_the_users_own_is_kept_to(overrides: dict[str, str]) -> None:
    text = Templates("en", overrides).without_thoughts().system([signature(add)])
    assert text == "Mine. 1"


def test_without_thoughts_the_grammar_begins_with_the_step() -> None:
    order = Order((add,), LABELS["en"], thoughts=False)
    assert "Thought" not in step_grammar(order)
    assert "Thought" in step_grammar(Order((add,), LABELS["en"]))


def test_a_base_model_writes_thoughts_as_ever() -> None:
    path = PromptPath(ModelProfile("m", chat=False, thoughts=False), [add], Templates())
    assert path.begun == "Thought:"
