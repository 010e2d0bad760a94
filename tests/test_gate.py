"""The gate: before the first step the model is asked, in one token, whether it needs a tool."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from react_engine.engine import Engine
from react_engine.events import Event, Gated
from react_engine.models.profile import ModelProfile
from react_engine.models.table import CapabilityTable
from react_engine.paths.gate import alternatives_wanted, answer_chance, verdict
from react_engine.runs import Run
from tests.driving import add
from tests.loopback import Canned, Request, Server, completion, serve

RECORD = ModelProfile("m", function_calling=False, client="http", continues=True, gate=(0.1, 0.6))
CALL = ' I add.\nAction: add\nAction Input: {"a": 1, "b": 2}'
ANSWER = " I know.\nFinal Answer: It is 3."


def likely(**tokens: float) -> dict[str, Any]:
    """Log-probabilities of the first token as chat completions have them."""
    top = [{"token": f" {token}", "logprob": math.log(share)} for token, share in tokens.items()]
    return {"logprobs": {"content": [{**top[0], "top_logprobs": top}]}}


def run(tokens: Mapping[str, float] | None, record: ModelProfile = RECORD, **options: Any) -> tuple[Run, Server]:
    """A run against a server that gives these first words to the gate, then calls once and answers."""

    def handle(request: Request) -> Canned:
        body = request.json()
        if "logprobs" in body:
            return Canned(completion(" answer", **(likely(**tokens) if tokens else {})))
        called = "Observation: 3" in body["messages"][-1]["content"]
        tools = "There is no tool" not in body["messages"][0]["content"]
        return Canned(completion(CALL if tools and not called else ANSWER))

    with serve(handle) as server:
        engine = Engine(replace(record, api_base=server.url), [add])
        done = engine.run("What is 1 + 2?", **options)
        engine.close()
    return done, server


def test_a_model_that_wants_no_tool_is_shown_none() -> None:
    done, server = run({"answer": 0.9, "add": 0.1})
    assert (done.answer, done.calls) == ("It is 3.", ())
    assert done.gate is not None
    assert (round(done.gate.chance, 2), done.gate.verdict) == (0.9, "answer")
    assert "There is no tool" in server.bodies[1]["messages"][0]["content"]


def test_a_model_that_is_far_from_an_answer_uses_a_tool_first() -> None:
    done, server = run({"answer": 0.05, "add": 0.95})
    assert [call.name for call in done.calls] == ["add"]
    assert "Use a tool before you answer." in server.bodies[1]["messages"][0]["content"]
    assert "Use a tool before you answer." not in server.bodies[2]["messages"][0]["content"]


@pytest.mark.parametrize("chance", [0.01, 0.99])
def test_where_a_grammar_holds_the_reply_the_prompt_stays_in_the_cache(chance: float) -> None:
    held = replace(RECORD, constraint="gbnf")
    _, server = run({"answer": chance, "add": 1 - chance}, held)
    gate, step = server.bodies[0], server.bodies[1]
    assert step["messages"][:-1] == gate["messages"][:-1]
    assert ("Action" in step["grammar"], "Final Answer" in step["grammar"]) == (chance < 0.5, chance > 0.5)


def test_between_the_bounds_the_model_decides() -> None:
    done, server = run({"answer": 0.5, "add": 0.5})
    assert done.gate is not None
    assert done.gate.verdict == "open"
    gate, step = server.bodies[0], server.bodies[1]
    assert gate["max_tokens"] == 1
    assert gate["messages"] == step["messages"]
    assert gate["messages"][-1]["content"] == "Thought: Known: nothing. Next:"
    assert done.steps[0].thought == "Known: nothing. Next: I add."
    assert server.bodies[2]["messages"][-1]["content"].endswith("\nThought:")


def test_the_gate_is_asked_once_and_told() -> None:
    told: list[Event] = []

    def handle(request: Request) -> Canned:
        return Canned(
            completion(" answer", **likely(answer=1.0)) if "logprobs" in request.json() else completion(ANSWER)
        )

    with serve(handle) as server:
        engine = Engine(replace(RECORD, api_base=server.url), [add])
        engine.run("What is 1 + 2?", listener=told.append)
        engine.close()
    assert [event.decision.verdict for event in told if isinstance(event, Gated)] == ["answer"]
    assert ["logprobs" in body for body in server.bodies] == [True, False]


def test_what_asking_costs_counts_in_the_run() -> None:
    done, server = run({"answer": 0.9, "add": 0.1})
    assert done.gate is not None
    assert done.gate.usage.prompt_tokens == 11
    assert done.usage.prompt_tokens == 11 * len(server.bodies)


@pytest.mark.parametrize(
    "record",
    [replace(RECORD, gate="off"), replace(RECORD, continues=False), replace(RECORD, constraint="json_schema")],
    ids=["off", "the server does not go on with a thought", "the reply is no thought"],
)
def test_without_a_gate_nothing_is_asked(record: ModelProfile) -> None:
    done, server = run({"answer": 1.0}, record)
    assert done.gate is None
    assert not any("logprobs" in body for body in server.bodies)


@pytest.mark.parametrize("choice", ["required", "none", "add"])
def test_a_choice_of_the_caller_needs_no_gate(choice: str) -> None:
    done, _ = run({"answer": 1.0}, tool_choice=choice)
    assert done.gate is None


def test_a_server_without_log_probabilities_leaves_the_choice_to_the_model() -> None:
    done, _ = run(None)
    assert (done.gate, done.answer) == (None, "It is 3.")


@pytest.mark.parametrize("options", [{"language": "zh"}, {"templates": {"react.en.j2": "Be {{ tools | length }}."}}])
def test_prompts_on_which_nothing_was_calibrated_have_no_gate(options: dict[str, Any]) -> None:
    with serve(Canned(completion(ANSWER))) as server:
        engine = Engine(replace(RECORD, api_base=server.url), [add], **options)
        assert engine.run("What is 1 + 2?").gate is None
        engine.close()


def test_a_gate_that_fails_is_no_failure_of_the_run() -> None:
    def handle(request: Request) -> Canned:
        if "logprobs" in request.json():
            return Canned({"error": {"message": "logprobs are not supported"}}, status=400)
        return Canned(completion(ANSWER))

    with serve(handle) as server:
        engine = Engine(replace(RECORD, api_base=server.url), [add])
        done = engine.run("What is 1 + 2?")
        engine.close()
    assert (done.gate, done.answer) == (None, "It is 3.")


@pytest.mark.parametrize(
    ("alternatives", "chance"),
    [
        ([(" answer", math.log(0.25)), (" add", math.log(0.75))], 0.25),
        ([(" ans", math.log(0.5)), (" Answer.", math.log(0.25))], 0.75),
        ([(" ", 0.0)], 0.0),
        ([], None),
    ],
)
def test_the_chance_is_that_of_the_word_or_its_beginning(
    alternatives: list[tuple[str, float]], chance: float | None
) -> None:
    found = answer_chance(alternatives, "answer")
    assert found == (None if chance is None else pytest.approx(chance))


def test_llama_cpp_is_asked_for_as_many_alternatives_as_a_sure_model_needs() -> None:
    assert alternatives_wanted(ModelProfile("m")) == 20
    assert alternatives_wanted(ModelProfile("m", constraints=("gbnf",))) == 1000


def test_the_bounds_decide() -> None:
    assert [verdict(chance, (0.1, 0.6)) for chance in (0.05, 0.1, 0.59, 0.6)] == ["call", "open", "open", "answer"]


def test_the_gate_is_a_setting_of_the_model() -> None:
    given: dict[str, dict[str, Any]] = {"m": {"gate": [0.01, 0.25]}, "n": {"gate": "off"}}
    table = CapabilityTable(given, hint=None)
    assert (table.profile("m").gate, table.profile("n").gate) == ((0.01, 0.25), "off")
