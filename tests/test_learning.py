"""What a run finds out about its model is kept: the next one starts on the right path, and nothing is learned of
failures that pass."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from react_engine.engine import Engine
from react_engine.folders import state_folder
from react_engine.models.facts import FactStore, FactsWarning
from react_engine.runs import EndState, FallbackReason, Run
from react_engine.settings import Settings
from tests.driving import add
from tests.loopback import Canned, Request, completion, serve

MODEL = "openai/gpt-4o-mini"
CALL = 'Thought: I add.\nAction: add\nAction Input: {"a": 1, "b": 2}'
ANSWER = "Thought: I know.\nFinal Answer: It is 3."


def said(text: str | None, calls: Sequence[tuple[str, Mapping[str, Any]]] = ()) -> dict[str, Any]:
    """A reply to a prompt that was long enough to hold the tools."""
    return {**completion(text, calls), "usage": {"prompt_tokens": 900, "completion_tokens": 7}}


def prompted(body: Any) -> Canned:
    """What a model says that is asked by prompt, or natively after its call."""
    done = "Observation:" in json.dumps(body["messages"][1:]) or any(m["role"] == "tool" for m in body["messages"])
    return Canned(said(("It is 3." if "tools" in body else ANSWER) if done else CALL))


def refusing(request: Request) -> Canned:
    body = request.json()
    if "tools" in body:
        return Canned({"error": {"message": f"{MODEL} does not support tools"}}, status=400)
    return prompted(body)


def leaking(request: Request) -> Canned:
    body = request.json()
    if "tools" in body and not any(m["role"] == "tool" for m in body["messages"]):
        return Canned(said('<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>'))
    return prompted(body)


def garbling(request: Request) -> Canned:
    body = request.json()
    if "tools" not in body:
        return prompted(body)
    reply = said(None, [("add", {})])
    reply["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = '{"a": 1, "b": [[[ oh'
    return Canned(reply)


def dropping(request: Request) -> Canned:
    body = request.json()
    if "tools" in body:
        return Canned({**said("I cannot do that."), "usage": {"prompt_tokens": 9, "completion_tokens": 5}})
    return prompted(body)


def run_once(url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run by a new engine, as a new process would start it."""
    monkeypatch.setenv("OPENAI_API_BASE", url)
    engine = Engine.from_settings(Settings.load(overrides={"model": MODEL, "requests.retries": 0}), TOOLBOX)
    try:
        return engine.run("What is 1 + 2?")
    finally:
        engine.close()


def described(a: float, b: float) -> float:
    return a + b


described.__doc__ = "Add two numbers, of which both may be negative, large or have a fraction. " * 4
TOOLBOX = [add]


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (refusing, FallbackReason.TOOLS_REFUSED),
        (leaking, FallbackReason.LEAKED_CALL),
        (garbling, FallbackReason.MALFORMED_ARGUMENTS),
        (dropping, FallbackReason.TOOLS_DROPPED),
    ],
)
def test_a_run_says_which_trigger_fired_and_the_next_starts_on_the_right_path(
    behaviour: Callable[[Request], Canned], reason: FallbackReason, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "TOOLBOX", [add, described] if behaviour is dropping else [add])
    with serve(behaviour) as server:
        first = run_once(server.url, monkeypatch)
        before = len(server.requests)
        second = run_once(server.url, monkeypatch)
    assert (first.end, first.answer) == (EndState.ANSWERED, "It is 3.")
    assert reason in [fallback.reason for fallback in first.fallbacks]
    assert (second.end, second.answer, second.fallbacks) == (EndState.ANSWERED, "It is 3.", ())
    assert {step.path for step in second.steps} == {"prompt"}
    assert not any("tools" in body for body in server.bodies[before:])
    (fact,) = FactStore().facts(MODEL)
    assert (fact.field, fact.value, fact.server) == ("function_calling", False, server.url)
    assert fact.expires is not None


def test_the_same_engine_starts_its_next_run_on_the_right_path(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(refusing) as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        engine = Engine(MODEL, [add])
        engine.run("What is 1 + 2?")
        assert engine.run("What is 1 + 2?").fallbacks == ()
        engine.close()


@pytest.mark.parametrize("status", [401, 403, 408, 429, 500, 502, 503, 529])
def test_nothing_is_learned_of_a_failure_that_passes(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Canned({"error": {"message": "the model does not support tools right now"}}, status=status)
    with serve(broken) as server:
        run = run_once(server.url, monkeypatch)
    assert run.end is EndState.ERROR
    assert FactStore().names() == ()


@pytest.mark.parametrize("status", [500, 503])
def test_a_refusal_with_the_status_of_a_failure_moves_the_run_but_teaches_nothing(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hiccup(request: Request) -> Canned:
        reply = refusing(request)
        return replace(reply, status=status) if reply.status == 400 else reply

    with serve(hiccup) as server:
        run_once(server.url, monkeypatch)
    assert FactStore().names() == ()


def test_nothing_is_learned_of_a_server_that_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(refusing) as server:
        pass
    assert run_once(server.url, monkeypatch).end is EndState.ERROR
    assert FactStore().names() == ()


def test_a_refusal_counts_only_if_the_request_without_tools_succeeds(monkeypatch: pytest.MonkeyPatch) -> None:
    def always(request: Request) -> Canned:
        if "tools" in request.json():
            return refusing(request)
        return Canned({"error": {"message": "out of memory"}}, status=500)

    with serve(always) as server:
        run = run_once(server.url, monkeypatch)
    assert [fallback.reason for fallback in run.fallbacks] == [FallbackReason.TOOLS_REFUSED]
    assert FactStore().names() == ()


def test_a_leak_is_read_in_place_without_a_second_request(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(leaking) as server:
        run = run_once(server.url, monkeypatch)
    assert len(server.requests) == len(run.steps) == 2


def test_a_constraint_that_is_refused_is_given_up_for_that_run_alone() -> None:
    def no_grammar(request: Request) -> Canned:
        if "grammar" in request.json():
            return Canned({"error": {"message": "failed to parse grammar"}}, status=400)
        return prompted(request.json())

    with serve(no_grammar) as server:
        table = {"m": {"client": "http", "api_base": server.url, "constraint": "gbnf", "function_calling": False}}
        engine = Engine.from_settings(Settings.load(overrides={"model": "m", "models": table}), [add])
        runs = [engine.run("What is 1 + 2?") for _ in range(2)]
        engine.close()
    assert [[fallback.detail for fallback in run.fallbacks] for run in runs] == [["constraint"], ["constraint"]]
    assert ["grammar" in body for body in server.bodies] == [True, False, False] * 2
    assert FactStore().names() == ()


def test_what_the_server_refuses_beside_tools_is_learned_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_stop(request: Request) -> Canned:
        body = request.json()
        if "stop" in body:
            return Canned({"error": {"message": "Unsupported parameter: 'stop' is not supported."}}, status=400)
        return refusing(request)

    with serve(no_stop) as server:
        run_once(server.url, monkeypatch)
        again = run_once(server.url, monkeypatch)
    assert {(fact.field, fact.value) for fact in FactStore().facts(MODEL)} == {
        ("function_calling", False),
        ("stop_words", False),
    }
    assert again.fallbacks == ()


def test_what_was_learned_at_one_server_says_nothing_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(refusing) as server, serve(leaking) as other:
        run_once(server.url, monkeypatch)
        run = run_once(other.url, monkeypatch)
    assert run.fallbacks[0].reason is FallbackReason.LEAKED_CALL


def test_the_settings_go_before_what_was_learned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = tmp_path / "react-engine.toml"
    config.write_text(f'[models."{MODEL}"]\nfunction_calling = true\n', encoding="utf-8")
    with serve(refusing) as server:
        run_once(server.url, monkeypatch)
        settings = Settings.load(str(config), overrides={"model": MODEL})
        engine = Engine.from_settings(settings, [add])
        run = engine.run("What is 1 + 2?")
        assert engine.profile.function_calling is True
        engine.close()
    assert run.fallbacks[0].reason is FallbackReason.TOOLS_REFUSED


def test_a_damaged_table_is_a_warning_and_the_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    state_folder().mkdir(parents=True, exist_ok=True)
    (state_folder() / "models.json").write_text("{ no json", encoding="utf-8")
    with serve(refusing) as server, pytest.warns(FactsWarning, match="set aside"):
        run = run_once(server.url, monkeypatch)
    assert run.answer == "It is 3."
    assert [fact.field for fact in FactStore().facts(MODEL)] == ["function_calling"]


def test_a_table_that_cannot_be_written_is_a_warning_and_the_run_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("REACT_ENGINE_STATE_DIR", str(tmp_path / "file" / "state"))
    with serve(refusing) as server, pytest.warns(FactsWarning):
        run = run_once(server.url, monkeypatch)
    assert run.answer == "It is 3."


def test_processes_that_learn_at_once_lose_nothing(tmp_path: Path) -> None:
    script = (
        "import sys; from react_engine.models.facts import FactStore\n"
        "for n in range(15): FactStore().remember(f'{sys.argv[1]}-{n}', 'chat', False, 'seen')"
    )
    running = [subprocess.Popen([sys.executable, "-c", script, str(number)]) for number in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    assert len(FactStore().names()) == 60
