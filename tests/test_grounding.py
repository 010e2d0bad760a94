"""Calls with values that nobody said: objected to, made where a model insists, and forgotten once a good call came."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_engine.events import CallEnded
from react_engine.grounding import OBJECTIONS, objected
from react_engine.models.profile import ModelProfile
from react_engine.parsers.settle import is_placeholder
from react_engine.paths.prompt import PromptPath
from react_engine.paths.select import Paths
from react_engine.protocol import AskModel, CallTools
from react_engine.runs import EndState, Run
from react_engine.templates import Templates
from react_engine.tools.function import tool_from_schema
from react_engine.tools.origins import Origins, form_of, is_code
from react_engine.tools.tool import Tool
from react_engine.types import Status, ToolCall, ToolResult
from tests.driving import drive

GROUNDED = ModelProfile("scripted", function_calling=False, grounded=True)
RESULTS = {"find_member": "id M17", "boats_of": "B-4", "boat": "B-4: red, in harbour Holm", "tide": "high at 14:10"}


def made(name: str, description: str, /, **arguments: Any) -> Tool:
    """A tool whose arguments are texts with these descriptions."""
    properties = {key: {"type": "string", "description": text} for key, text in arguments.items()}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return tool_from_schema(name, description, schema, lambda _: "", pass_dict=True)


TOOLS = (
    made("find_member", "Find a member by name; gives the member's id.", name="first or last name"),
    made("boats_of", "List the boats of a member.", id="id of the member, such as M99"),
    made("boat", "Colour and harbour of a boat.", boat='number of the boat, e.g. "B-0"'),
    made("tide", "When the tide is high.", harbour=""),
)


def call(name: str, /, **arguments: str) -> str:
    """A step with one call."""
    return f"Thought: I look.\nAction: {name}\nAction Input: {json.dumps(arguments)}"


ANSWER = "Thought: I know.\nFinal Answer: done"


def run(
    task: str, *replies: str, profile: ModelProfile = GROUNDED, instructions: str = "", **options: Any
) -> tuple[Run, list[Any]]:
    """A run over ``TOOLS``, and what it demanded."""

    def result(call: ToolCall) -> ToolResult:
        return ToolResult(call.id, call.name, Status.SUCCESS, RESULTS[call.name])

    using = Paths(profile, lambda *_: PromptPath(profile, TOOLS, Templates(), instructions))
    return drive(task, replies, using=using, results=result, **options)


def told(done: Run) -> list[str]:
    """What came of each call: its text and its hint."""
    return [f"{result.text} {result.hint}".strip() for result in done.results]


@pytest.mark.parametrize(
    ("task", "first", "objection"),
    [
        (
            "Which boats has Ada?",
            call("boats_of", id="M99"),
            "M99 is only an example of id, it is not known. Find it out first: call find_member.",
        ),
        ("Who is M17?", call("find_member", name="M17"), "M17 is no name, but an id. Call boats_of first."),
        (
            "Which boats has Ada?",
            call("boats_of", id="M4"),
            "The id M4 was made up. Find it out first: call find_member.",
        ),
        (
            "Which boats has Ada?",
            call("boats_of", id="Ada"),
            "Ada is no id such as M99. Find it out first: call find_member.",
        ),
        ("Is B-4 red?", call("boats_of", id="B-4"), "B-4 is no id such as M99, but a boat. Call boat first."),
        (
            "When is the tide high for boat B-4?",
            call("tide", harbour="Vestra"),
            "The harbour Vestra was made up. Find it out first: call boat.",
        ),
    ],
    ids=[
        "an example",
        "what the tool itself tells",
        "a code",
        "a name for a code",
        "a code of another kind",
        "a guess",
    ],
)
def test_what_nobody_said_is_objected_to(task: str, first: str, objection: str) -> None:
    done, demands = run(task, first, ANSWER)
    assert told(done) == [objection]
    assert [result.status for result in done.results] == [Status.VALIDATION_ERROR]
    assert not any(isinstance(demand, CallTools) for demand in demands)
    assert [objected(demand.result) for demand in demands if isinstance(demand, CallEnded)] == [True]


@pytest.mark.parametrize(
    ("task", "first"),
    [
        ("Which boats has M99?", call("boats_of", id="M99")),
        ("Is b-4 red?", call("boat", boat="B-4")),
        ("When is the tide high in Vestra?", call("tide", harbour="Vestra")),
        ("When is the tide high in Vestra?", call("tide", harbour="the port of Vestra")),
        ("Who is Ada?", call("find_member", name="Ada Lund")),
    ],
)
def test_what_was_said_is_called_with(task: str, first: str) -> None:
    done, _ = run(task, first, ANSWER)
    assert [result.ok for result in done.results] == [True]


def test_results_instructions_and_earlier_answers_are_said() -> None:
    done, _ = run(
        "Which boats has Ada?",
        call("find_member", name="Ada"),
        call("boats_of", id="M17"),
        call("boat", boat="B-4"),
        call("tide", harbour="Holm"),
        ANSWER,
    )
    assert all(result.ok for result in done.results)
    done, _ = run("Which are my boats?", call("boats_of", id="M8"), ANSWER, instructions="The user is member M8.")
    assert [result.ok for result in done.results] == [True]


def test_the_way_to_a_value_begins_with_what_can_be_called() -> None:
    done, _ = run("What colour is the boat of Ada?", call("boat", boat="B-0"), ANSWER)
    assert done.results[0].hint == "Find it out first: call find_member, then boats_of."
    done, _ = run("What colour is the boat of (M17)?", call("boat", boat="B-0"), ANSWER)
    assert done.results[0].hint == "Find it out first: call boats_of."


@pytest.mark.parametrize(
    ("changes", "templates", "lead"),
    [
        ({}, Templates(), "Thought: Known: the id is not known yet. Next:"),
        ({}, Templates("zh"), "思考: 已知:还不知道 id。下一步:"),
        ({"thoughts": False}, Templates(), "call find_member."),
        ({"continues": False}, Templates(), "call find_member."),
        ({}, Templates(overrides={"react.en.j2": "{{ tools | length }}"}), "Thought:"),
    ],
)
def test_the_thought_behind_an_objection_is_begun(changes: dict[str, Any], templates: Templates, lead: str) -> None:
    profile = replace(GROUNDED, **{"continues": True, **changes})
    using = Paths(profile, lambda *_: PromptPath(profile, TOOLS, templates))
    labels = templates.labels
    act = f'{labels.action}: boats_of\n{labels.action_input}: {{"id": "M99"}}'
    thought = " I look.\n" if profile.thoughts else ""
    replies = [f"{thought}{act}", f" find her.\n{labels.final_answer}: ?"]
    _, demands = drive("Which boats has Ada?", replies, using=using)
    last = [demand.request.messages[-1] for demand in demands if isinstance(demand, AskModel)][1]
    assert last["content"].strip().endswith(lead)


def test_who_insists_is_heard() -> None:
    done, _ = run("Which boats has Ada?", *[call("boats_of", id="M99")] * 3, ANSWER)
    assert [result.ok for result in done.results] == [False, False, True]
    assert done.end is EndState.ANSWERED


def test_a_run_is_left_alone_after_some_objections() -> None:
    guesses = [call("boats_of", id=f"M{number}") for number in range(OBJECTIONS + 2)]
    done, _ = run("Which boats has Ada?", *guesses, ANSWER)
    assert [result.ok for result in done.results] == [False] * OBJECTIONS + [True] * 2


def test_an_objection_is_seen_until_a_good_call_came() -> None:
    done, demands = run("Which boats has Ada?", call("boats_of", id="M99"), call("find_member", name="Ada"), ANSWER)
    second, third = [str(demand.request.messages) for demand in demands if isinstance(demand, AskModel)][1:]
    assert "M99 is only an example" in second
    assert "is only an example" not in third
    assert "id M17" in third
    assert [step.calls[0].name for step in done.steps if step.calls] == ["boats_of", "find_member"]
    assert not any(map(objected, (result for message in done.transcript for result in message.results)))


def test_without_the_setting_nothing_is_looked_at() -> None:
    done, _ = run("Which boats has Ada?", call("boats_of", id="M99"), ANSWER, profile=replace(GROUNDED, grounded=False))
    assert [result.ok for result in done.results] == [True]


def test_origins_are_read_out_of_descriptions() -> None:
    origins = Origins(TOOLS)
    found = {(tool.name, name): origin for tool in TOOLS for name, origin in origins.of(tool.name).items()}
    assert {place: origin.tools for place, origin in found.items() if origin.tools} == {
        ("boats_of", "id"): ("find_member",),
        ("boat", "boat"): ("boats_of",),
        ("tide", "harbour"): ("boat",),
    }
    assert {place: origin.examples for place, origin in found.items() if origin.examples} == {
        ("boats_of", "id"): ("M99",),
        ("boat", "boat"): ("B-0",),
    }


def test_values_of_a_list_or_format_have_no_origin() -> None:
    properties = {
        "kind": {"type": "string", "enum": ["a1", "b2"]},
        "day": {"type": "string", "format": "date"},
        "size": {"type": "integer"},
    }
    tool = tool_from_schema("t", "", {"type": "object", "properties": properties}, lambda _: "", pass_dict=True)
    assert not Origins((tool,)).of("t")


_TEXT = st.text(max_size=30).filter(lambda value: not is_placeholder(value))  # a call with one is none


@given(value=_TEXT, task=_TEXT, description=_TEXT)
def test_no_call_is_held_up_for_ever(value: str, task: str, description: str) -> None:
    tools = (made("t", description, x=description), made("u", "x", y=description))
    using = Paths(GROUNDED, lambda *_: PromptPath(GROUNDED, tools, Templates()))
    done, _ = drive(f"Task {task}", [*[call("t", x=value)] * 3, ANSWER], using=using)
    assert done.end is EndState.ANSWERED
    assert not objected(done.results[-1])


@given(value=_TEXT)
def test_a_value_that_the_user_said_is_not_made_up(value: str) -> None:
    done, _ = run(f"Boats of {value}?", call("tide", harbour=value), ANSWER)
    assert "made up" not in done.results[0].text
    assert done.results[0].ok or is_code(value.strip())  # which may be the code of something else


@given(value=_TEXT)
def test_codes_have_letters_and_digits_and_a_form(value: str) -> None:
    assert is_code(f"R-{len(value)}")
    assert form_of(form_of(value)) == form_of(value)
    assert not is_code(f"a {value}1")


def test_a_code_is_rather_like_an_example_of_its_length() -> None:
    tools = (made("a", "", id="such as M99"), made("b", "", item="such as Z0"), made("c", "", store="such as S0"))
    origins = Origins(tools)
    own = origins.of("a")["id"]
    assert [tool for tool, _ in origins.fitting("K7", own)] == ["b", "c"]
    assert [tool for tool, _ in origins.fitting("K77", own)] == ["b", "c"]
    assert [tool for tool, _ in origins.fitting("M17", origins.of("b")["item"])] == ["a"]
    assert origins.fitting("M-17", own) == []
