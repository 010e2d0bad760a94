"""Constrained decoding on the prompt path: what the table says of the server goes into the request, and is given up
when the server refuses it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from react_engine.engine import Engine
from react_engine.errors import ConfigurationError
from react_engine.limits import Limits
from react_engine.models.profile import ModelProfile, Source
from react_engine.models.table import CapabilityTable
from react_engine.paths.constraint import constraint_form
from react_engine.paths.prompt import PromptPath
from react_engine.protocol import AskModel
from react_engine.runs import FallbackReason
from react_engine.templates import Templates
from tests.driving import PROMPT, TOOLS, drive, paths
from tests.loopback import Canned, completion, serve

ANSWER = "Thought: I know.\nFinal Answer: done"
SERVER = ModelProfile("m", function_calling=False, client="http", constraints=("gbnf", "json_schema"))


@pytest.mark.parametrize(
    ("constraint", "constraints", "form"),
    [
        ("off", ("gbnf",), None),
        ("on", ("gbnf", "json_schema"), "gbnf"),
        ("on", ("json_schema",), "json_schema"),
        ("on", (), None),
        ("gbnf", (), "gbnf"),
    ],
)
def test_the_form_is_the_first_that_the_server_takes(
    constraint: str, constraints: tuple[str, ...], form: str | None
) -> None:
    assert constraint_form(ModelProfile("m", constraint=constraint, constraints=constraints)) == form


def test_a_constraint_that_the_user_asks_for_is_not_silently_left_out() -> None:
    profile = ModelProfile("m", constraint="on", sources={"constraint": Source("config", "react-engine.toml")})
    with pytest.raises(ConfigurationError, match="Name the form"):
        constraint_form(profile)


@pytest.mark.parametrize("kind", ["argument", "environment", "config"])
def test_a_constraint_that_is_not_there_for_a_dialect_is_told_to_whoever_asks_for_it(kind: str) -> None:
    asked = replace(SERVER, dialect="hermes", constraint="json_schema", sources={"constraint": Source(kind)})
    with pytest.raises(ConfigurationError, match=r"'hermes', for which there is a grammar, but no JSON Schema.*off"):
        PromptPath(asked, TOOLS, Templates())
    shipped = replace(asked, sources={"constraint": Source("shipped")})
    assert PromptPath(shipped, TOOLS, Templates()).constraint.form is None
    untaught = replace(asked, dialect="harmony")  # which no prompt can ask for: it is asked in ReAct
    assert PromptPath(untaught, TOOLS, Templates()).constraint.form == "json_schema"


def test_a_trained_dialect_is_held_to_a_grammar_of_its_own() -> None:
    held = PromptPath(replace(SERVER, dialect="hermes", constraint="on"), TOOLS, Templates())
    grammar = held.constraint.fields("required")["grammar"]
    assert "<tool_call>" in grammar
    assert "Action Input" not in grammar
    last = replace(SERVER, dialect="hermes", constraint="on", constraints=("json_schema", "structured_outputs"))
    assert constraint_form(last, "hermes") == "structured_outputs"


def test_a_dialect_without_a_grammar_says_so() -> None:
    asked = replace(SERVER, constraint="on", sources={"constraint": Source("config")})
    with pytest.raises(ConfigurationError, match="'harmony', for which there is no grammar"):
        constraint_form(asked, "harmony")


@pytest.mark.parametrize(
    ("constraint", "field"),
    [("gbnf", "grammar"), ("json_schema", "response_format"), ("structured_outputs", "structured_outputs")],
)
def test_each_form_has_its_field_in_the_request(constraint: str, field: str) -> None:
    with serve(Canned(completion(ANSWER))) as server:
        engine = Engine(replace(SERVER, api_base=server.url, constraint=constraint), TOOLS)
        run = engine.run("Add 1 and 2.")
        engine.close()
    assert run.answer == "done"
    assert field in server.bodies[0]


def test_a_model_held_to_json_is_told_so() -> None:
    free, held = PROMPT, replace(PROMPT, constraint="json_schema")
    systems = [drive("x", [ANSWER], using=paths(profile))[1][1].request.messages[0] for profile in (free, held)]  # type: ignore[union-attr]
    assert ["one JSON object" in message["content"] for message in systems] == [False, True]


def test_without_a_constraint_none_is_sent() -> None:
    with serve(Canned(completion(ANSWER))) as server:
        engine = Engine(replace(SERVER, api_base=server.url), TOOLS)
        engine.run("Add 1 and 2.")
        engine.close()
    assert not {"grammar", "response_format", "structured_outputs"} & server.bodies[0].keys()


@pytest.mark.parametrize(
    "refusal",
    [
        {"error": {"code": 400, "message": "Failed to initialize samplers: failed to parse grammar"}},
        {"error": {"message": "response_format is not supported by this model", "type": "invalid_request_error"}},
        {"error": {"message": "Unrecognized request argument supplied: grammar"}},
    ],
)
def test_a_constraint_that_the_server_refuses_is_given_up(refusal: object) -> None:
    with serve([Canned(refusal, status=400), Canned(completion(ANSWER))]) as server:
        engine = Engine(replace(SERVER, api_base=server.url, constraint="on"), TOOLS)
        run = engine.run("Add 1 and 2.")
        engine.close()
    assert run.answer == "done"
    assert [(fallback.reason, fallback.detail) for fallback in run.fallbacks] == [
        (FallbackReason.FEATURE_REFUSED, "constraint")
    ]
    assert "grammar" in server.bodies[0]
    assert "grammar" not in server.bodies[1]


def test_a_step_that_must_answer_may_not_call() -> None:
    constrained = replace(PROMPT, constraint="gbnf")
    _, demands = drive("x", [ANSWER], using=paths(constrained), tool_choice="none")
    grammar = demands[1].request.extra["grammar"]  # type: ignore[union-attr]
    assert "Final Answer" in grammar
    assert "Action" not in grammar


def test_the_table_takes_forms_and_off_and_leaves_auto_to_the_next() -> None:
    table = CapabilityTable({"m": {"constraint": "auto"}, "n": {"constraint": "json_schema"}}, hint=None)
    assert table.profile("m").constraint == "off"
    assert table.profile("n").constraint == "json_schema"
    with pytest.raises(ConfigurationError, match="structured_outputs"):
        table.profile("m", {"constraint": "lark"})


@pytest.mark.parametrize("form", ["gbnf", "json_schema", "structured_outputs"])
def test_tools_are_left_out_of_one_reply_unless_no_other_is_left(form: str) -> None:
    constraint = PromptPath(replace(SERVER, constraint=form), TOOLS, Templates()).constraint
    usual, fewer = str(constraint.fields("auto")), str(constraint.fields("auto", frozenset({"send_mail"})))
    assert ("send_mail" in usual, "send_mail" in fewer, "lookup" in fewer) == (True, False, True)
    assert str(constraint.fields("auto", frozenset(tool.name for tool in TOOLS))) == usual
    assert constraint.fields("send_mail", frozenset({"send_mail"})) == constraint.fields("send_mail")
    assert constraint.fields("auto") == constraint.fields("auto", frozenset({"nothing"}))


@pytest.mark.parametrize("grounded", [True, False])
def test_a_grounded_model_cannot_call_a_tool_at_once_whose_call_was_refused(grounded: bool) -> None:
    add = 'Thought: I add.\nAction: add\nAction Input: {"a": 1, "b": 2}'
    look = 'Thought: I look.\nAction: lookup\nAction Input: {"city": "Oslo"}'
    held = paths(replace(PROMPT, constraint="gbnf", grounded=grounded))
    limits = Limits(repeat_warn=None, repeat_refuse=2, repeat_stop=4)
    _, demands = drive("1 + 2?", [add, add, look, ANSWER], using=held, limits=limits)
    grammars = [demand.request.extra["grammar"] for demand in demands if isinstance(demand, AskModel)]
    assert ['"add"' in grammar or "call-add" in grammar for grammar in grammars] == [True, True, not grounded, True]
