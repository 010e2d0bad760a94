"""``react-engine models probe`` against real servers: what is concluded, and what is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from react_engine.cli import exit_codes
from react_engine.models.facts import FactStore
from react_engine.probe.scenarios import SCENARIOS
from tests.cli.driving import Done, react_engine
from tests.loopback import Canned, Request, chunks, completion, serve, sse

NOTE = 'He said "hello".\nThen he left.'
Wanted = tuple[str, dict[str, Any]]


def wanted(body: Any) -> list[Wanted] | str:
    """What a good model makes of a scenario: calls, or an answer."""
    text = json.dumps(body["messages"][1:] if len(body["messages"]) > 1 else body["messages"], ensure_ascii=False)
    if "hail" in text:
        return "It is 7 degrees, with hail."
    if "Cairo" in text:
        return [("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Cairo"})]
    if "Save a note" in text:
        return [("save_note", {"text": NOTE})]
    if "Oslo" in text:
        return [("get_weather", {"city": "Oslo"})]
    forced = isinstance(body.get("tool_choice"), dict) or "save_note before" in body["messages"][0]["content"]
    return (
        [("save_note", {"text": "hi"})]
        if forced or "必须先使用工具 save_note" in body["messages"][0]["content"]
        else "Hello!"
    )


def by_prompt(said: list[Wanted] | str, body: Any) -> str:
    zh = "行动" in body["messages"][0]["content"]
    action, given, answer = ("行动", "行动输入", "最终答案") if zh else ("Action", "Action Input", "Final Answer")
    if isinstance(said, str):
        return f"{answer}: {said}"
    return "\n".join(f"{action}: {name}\n{given}: {json.dumps(args)}" for name, args in said)


def reply(body: Any, text: str | None, calls: list[Wanted] = []) -> Canned:  # noqa: B006 - not changed
    if body.get("stream"):
        deltas: list[Any] = [text] if text else []
        for place, (name, args) in enumerate(calls):
            function = {"name": name, "arguments": json.dumps(args)}
            deltas.append({"tool_calls": [{"index": place, "id": f"c{place}", "function": function}]})
        return sse(chunks(*deltas, usage=False))
    return Canned({**completion(text, calls), "usage": {"prompt_tokens": 2000, "completion_tokens": 9}})


def native(request: Request) -> Canned:
    """A model that calls well natively, and by prompt not at all."""
    body = request.json()
    said = wanted(body)
    if "tools" not in body:
        return reply(body, "I would rather not.")
    return reply(body, said) if isinstance(said, str) else reply(body, None, said)


def prompted(request: Request) -> Canned:
    body = request.json()
    return reply(body, by_prompt(wanted(body), body))


def refusing(request: Request) -> Canned:
    if "tools" in request.json():
        return Canned({"error": {"message": "this model does not support tools"}}, status=400)
    return prompted(request)


def leaking(request: Request) -> Canned:
    body = request.json()
    said = wanted(body)
    if "tools" not in body or isinstance(said, str):
        return reply(body, said) if "tools" in body and isinstance(said, str) else prompted(request)
    tagged = [f"<tool_call>\n{json.dumps({'name': name, 'arguments': args})}\n</tool_call>" for name, args in said]
    return reply(body, "\n".join(tagged))


def dropping(request: Request) -> Canned:
    body = request.json()
    if "tools" in body:
        return Canned({**completion("I have no tools."), "usage": {"prompt_tokens": 12, "completion_tokens": 5}})
    return prompted(request)


def probe(folder: Path, handler: Callable[[Request], Canned], *more: str, record: str = "") -> Done:
    with serve(handler) as server:
        (folder / "react-engine.toml").write_text(
            f'[requests]\nretries = 0\n[models.served]\nclient = "http"\napi_base = "{server.url}"\n{record}',
            encoding="utf-8",
        )
        return react_engine("models", "probe", "served", "--config", str(folder / "react-engine.toml"), *more)


def facts() -> dict[str, Any]:
    return {fact.field: fact.value for fact in FactStore().facts("served")}


@pytest.mark.parametrize(
    ("handler", "first", "concluded"),
    [
        (native, "yes", {"function_calling": True, "parallel_calls": True}),
        (refusing, "refused", {"function_calling": False}),
        (leaking, "leaked", {"function_calling": False}),
        (dropping, "dropped", {"function_calling": False}),
    ],
)
def test_the_record_follows_from_what_came_back(
    handler: Callable[[Request], Canned], first: str, concluded: dict[str, Any], tmp_path: Path
) -> None:
    done = probe(tmp_path, handler, "--json")
    findings = json.loads(done.out)["findings"]
    assert (findings[0]["way"], findings[0]["outcome"]) == ("native", first)
    assert facts() == concluded
    assert all(fact.source == "probe" for fact in FactStore().facts("served"))


def test_a_good_model_passes_every_scenario(tmp_path: Path) -> None:
    findings = json.loads(probe(tmp_path, native, "--json").out)["findings"]
    assert {finding["scenario"]: finding["outcome"] for finding in findings if finding["way"] == "native"} == {
        scenario.name: "yes" for scenario in SCENARIOS
    }


@pytest.mark.parametrize("way", ["react", "react-zh"])
def test_a_good_model_passes_every_scenario_by_prompt(way: str, tmp_path: Path) -> None:
    findings = json.loads(probe(tmp_path, prompted, "--json").out)["findings"]
    assert {finding["scenario"]: finding["outcome"] for finding in findings if finding["way"] == way} == {
        scenario.name: "yes" for scenario in SCENARIOS
    }


def test_any_call_is_not_the_right_call(tmp_path: Path) -> None:
    def always_first(request: Request) -> Canned:
        body = request.json()
        if "tools" not in body:
            return prompted(request)
        return reply(body, None, [(body["tools"][0]["function"]["name"], {"city": "Oslo"})])

    findings = json.loads(probe(tmp_path, always_first, "--json").out)["findings"]
    told = {finding["scenario"]: finding["outcome"] for finding in findings if finding["way"] == "native"}
    assert (told["one"], told["twenty"], told["no tool"]) == ("yes", "called get_forecast", "called get_weather")
    assert facts()["function_calling"] is False


def test_the_table_has_a_column_for_each_way_and_verbose_the_raw_replies(tmp_path: Path) -> None:
    done = probe(tmp_path, leaking, "--verbose")
    head, first = done.out.splitlines()[:2]
    assert head.split() == ["NATIVE", "REACT", "REACT-ZH"]
    assert first.split()[-3:] == ["leaked", "yes", "yes"]
    assert "<tool_call>" in done.out


def in_react(request: Request) -> Canned:
    """A model that knows ReAct only."""
    body = request.json()
    return reply(body, "<tool_call>") if "<tool_call>" in body["messages"][0]["content"] else prompted(request)


def hermes(request: Request) -> Canned:
    """A model that calls in the dialect it was trained on, and answers anything else in prose."""
    body = request.json()
    if "tools" in body or "<tool_call>" not in body["messages"][0]["content"]:
        return reply(body, "I do not know.")
    said = wanted(body)
    if isinstance(said, str):
        return reply(body, said)
    return reply(
        body,
        "\n".join(f"<tool_call>\n{json.dumps({'name': name, 'arguments': args})}\n</tool_call>" for name, args in said),
    )


@pytest.mark.parametrize(("handler", "best"), [(hermes, "hermes"), (in_react, "react")])
def test_a_model_is_probed_in_the_dialect_of_its_record_as_well(
    handler: Callable[[Request], Canned], best: str, tmp_path: Path
) -> None:
    findings = json.loads(probe(tmp_path, handler, "--json", record='dialect = "hermes"\n').out)["findings"]
    ways = list(dict.fromkeys(finding["way"] for finding in findings))
    assert ways == ["native", "react", "react-zh", "hermes"]
    right = {way: sum(f["outcome"] == "yes" for f in findings if f["way"] == way) for way in ways}
    assert right[best] == len(SCENARIOS)
    assert facts()["dialect"] == best


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    probe(tmp_path, native, "--dry-run")
    assert FactStore().names() == ()


@pytest.mark.parametrize("status", [401, 429, 500, 503])
def test_nothing_is_concluded_from_a_failure_that_passes(status: int, tmp_path: Path) -> None:
    done = probe(tmp_path, lambda request: Canned({"error": {"message": "no"}}, status=status))
    assert done.code == exit_codes.MODEL
    assert FactStore().names() == ()


def test_a_refusal_counts_only_if_the_model_answers_without_tools(tmp_path: Path) -> None:
    def refuses_all(request: Request) -> Canned:
        if "tools" in request.json():
            return refusing(request)
        return Canned({"error": {"message": "the server is busy"}}, status=503)

    assert probe(tmp_path, refuses_all).code == exit_codes.MODEL
    assert FactStore().names() == ()


def test_what_else_is_refused_is_left_out_and_written_down(tmp_path: Path) -> None:
    def no_stop(request: Request) -> Canned:
        if "stop" in request.json():
            return Canned({"error": {"message": "Unsupported parameter: 'stop' is not supported."}}, status=400)
        return refusing(request)

    probe(tmp_path, no_stop)
    assert facts() == {"function_calling": False, "stop_words": False}
