"""One seed, one set of cases; each case says truly what may be read from it."""

from __future__ import annotations

import json
from random import Random

import jsonschema
import pytest
from hypothesis import given, settings

from react_engine.fuzz.cases import Case, case_from, draw_case, make_case
from react_engine.fuzz.draft import MUTATORS, combined
from react_engine.fuzz.forms import FORMS
from react_engine.fuzz.generate import make_reply, make_tools
from react_engine.fuzz.judge import Outcome, judge
from react_engine.fuzz.meaning import Call, Reply, Survival
from react_engine.fuzz.no_call import KINDS
from react_engine.fuzz.parsers import own
from react_engine.fuzz.render import can_say, render, render_reply
from react_engine.parsers.dialects import DIALECTS
from tests.strategies import fuzz_cases

BASES = 120
"""Replies on which a mutator is tried before the test gives up."""


def test_a_seed_and_a_number_make_always_the_same_case() -> None:
    assert [make_case(7, number) for number in range(60)] == [make_case(7, number) for number in range(60)]
    assert [make_case(7, number).text for number in range(60)] != [make_case(8, number).text for number in range(60)]


def test_there_are_more_than_forty_mutators_and_all_describe_themselves() -> None:
    assert len(MUTATORS) > 100
    assert [name for name, mutator in MUTATORS.items() if not mutator.describes] == []
    assert [name for name, make in KINDS.items() if not make.__doc__] == []


def test_every_form_is_of_a_known_dialect() -> None:
    assert len(FORMS) == 71
    assert [name for name in FORMS if name not in DIALECTS] == []


@pytest.mark.parametrize("dialect", FORMS)
def test_the_trained_form_of_every_dialect_reads_as_it_was_meant(dialect: str) -> None:
    form, rng, seen = FORMS[dialect], Random(dialect), 0
    while seen < 5:
        tools = make_tools(rng)
        reply = make_reply(rng, tools, 0.0)
        if not can_say(form, reply, tools):
            continue
        seen += 1
        case = Case("trained", render(form, reply).text, tools, dialect, survival=Survival.RECOVER, calls=reply.calls)
        assert judge(case, own(case)) is Outcome.RIGHT, case.text


def test_a_reply_is_rendered_from_its_record() -> None:
    call = Call("get_weather", {"city": "Oslo"})
    assert render_reply(DIALECTS["hermes"], "I look.", [call], "") == (
        '<think>\nI look.\n</think>\n\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
    )
    assert render_reply(DIALECTS["react"], "Done.", [], "Cold.") == "Thought: Done.\nFinal Answer: Cold."


@pytest.mark.parametrize("name", MUTATORS)
def test_a_mutator_leaves_what_it_declares(name: str) -> None:
    """Some dialect takes the damage; what it is said to leave is what the reader can do with at least one of them."""
    mutator, outcomes, survivals = MUTATORS[name], [], set()
    for number in range(BASES):
        case = make_case(3, number, mutators=[name])
        if case.kinds != (name,):
            continue
        survivals.add(case.survival)
        outcomes.append(judge(case, own(case, streamed=0)))
        if len(outcomes) == 6:
            break
    assert outcomes, "no dialect takes this damage"
    assert all(combined(survival or Survival.FREE, mutator.survival) is survival for survival in survivals)
    assert Outcome.RIGHT in outcomes
    assert Outcome.CRASH not in outcomes


@pytest.mark.parametrize("kind", KINDS)
def test_replies_without_a_call_expect_none(kind: str) -> None:
    cases = [make_case(5, number, mutators=[kind]) for number in range(8)]
    assert {case.kinds for case in cases} == {(kind,)}
    assert {(case.survival, case.calls) for case in cases} == {(Survival.REFUSE, ())}


def test_meant_arguments_fit_the_schemas_of_the_tools() -> None:
    for number in range(100):
        case = make_case(11, number)
        known = {tool["name"]: tool["parameters"] for tool in case.tools}
        for call in case.calls:
            if call.name in known and case.survival is Survival.RECOVER:
                jsonschema.validate(call.arguments, known[call.name])


@settings(max_examples=40, deadline=None)
@given(case=fuzz_cases())
def test_any_case_survives_being_saved_and_read_again(case: Case) -> None:
    again = case_from(json.loads(json.dumps(case.as_json())), "again")
    assert again == case


def test_a_recorded_reply_has_no_truth_and_a_foreign_case_has_its_own() -> None:
    recorded = case_from({"text": "hello"}, "file, line 1")
    assert (recorded.survival, recorded.id, recorded.tools) == (None, "file, line 1", [])
    call = {"name": "f", "arguments": {"a": 1}}
    told = case_from({"text": "x", "tools": [], "expect": {"calls": [call]}, "kind": "odd", "truncated": True}, "l")
    assert (told.survival, told.calls, told.kinds, told.finish) == (
        Survival.RECOVER,
        (Call("f", {"a": 1}),),
        ("odd",),
        "length",
    )
    assert case_from({"text": "x", "expect": {"calls": [], "final": "y"}}, "l").survival is Survival.REFUSE


def test_drawing_needs_no_seed() -> None:
    assert draw_case(Random(1), "one") == draw_case(Random(1), "one")


def test_damage_adds_up_to_the_weakest() -> None:
    recover, either, refuse, free = Survival.RECOVER, Survival.EITHER, Survival.REFUSE, Survival.FREE
    assert combined(recover, recover) is recover
    assert combined(recover, either) is either
    assert combined(refuse, either) is refuse
    assert combined(refuse, free) is free
    assert combined(refuse, free, prose=True) is refuse


def test_a_form_does_not_say_what_it_cannot_say() -> None:
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}]
    closer = Reply(calls=(Call("f", {"a": "</parameter>"}),))
    assert can_say(FORMS["hermes"], closer, tools)
    assert not can_say(FORMS["qwen3_coder"], closer, tools)
    assert not can_say(FORMS["hermes"], Reply(calls=(Call("f", {"a": "<|im_end|>"}),)), tools)
    assert not can_say(FORMS["gigachat3"], Reply(calls=(Call("f"), Call("f"))), tools)
