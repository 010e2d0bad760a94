"""Where the gate's line is drawn, and when it is not worth drawing one."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from react_engine.models.facts import FactStore
from react_engine.probe.calibration import Asked, auc, drawn, gate_field
from react_engine.suites import load_suite
from tests.cli.driving import react_engine
from tests.loopback import Canned, Request, completion, serve


def asked(need: list[float], none: list[float]) -> list[Asked]:
    return [
        Asked("?", needs, chance, 0.1, 10, 0) for needs, chances in ((True, need), (False, none)) for chance in chances
    ]


def test_the_line_keeps_nearly_all_that_need_a_tool() -> None:
    found = drawn(asked([0.5] + [0.001] * 18 + [0.01], [0.0001, 0.04, 0.5, 0.9]))
    assert (found.line, found.kept, found.stopped) == (0.02, 0.95, 0.75)
    assert (found.floor, found.urged, found.strayed, found.gate) == (0.02, 0.95, 0.25, (0.02, 0.02))


def test_those_are_urged_to_call_who_lie_where_the_kinds_differ_most() -> None:
    found = drawn(asked([0.001] * 15 + [0.03] * 5, [0.01] + [0.04] * 19))
    assert (found.floor, found.urged) == (0.034641, 1.0)
    assert found.gate == (0.034641, 0.034641)


def test_no_more_than_some_of_the_others_are_urged_whatever_is_won_by_it() -> None:
    found = drawn(asked([0.001] * 2 + [0.05] * 18, [0.01] * 12 + [0.9] * 8))
    assert (found.floor, found.urged, found.strayed) == (0.00316228, 0.1, 0.0)
    assert found.gate is not None
    assert found.gate[0] == 0.0


def test_each_bound_is_drawn_only_where_it_is_worth_it() -> None:
    urging = drawn(asked([0.001] * 10 + [0.9] * 2, [0.04] * 11 + [0.95]))
    assert urging.gate == (urging.floor, 1.0)


def test_a_gate_that_stops_few_is_left_off() -> None:
    found = drawn(asked([0.5] * 10, [0.5] * 9 + [0.9]))
    assert (found.kept, found.stopped, found.gate) == (1.0, 0.1, None)
    assert gate_field(found)[0] == "off"
    assert gate_field(None)[0] == "off"


def test_the_area_counts_pairs() -> None:
    assert auc([0.9, 0.8], [0.1, 0.8]) == 0.875


def test_the_calibration_set_is_apart_from_the_suites_that_test() -> None:
    calibration = load_suite("gate")
    assert len([task for task in calibration.tasks if task.calls]) == len(calibration.tasks) / 2
    for name in ("choice", "steps"):
        test = load_suite(name)
        assert not {tool.name for tool in calibration.tools} & {tool.name for tool in test.tools}
        assert not {task.ask for task in calibration.tasks} & {task.ask for task in test.tasks}


@pytest.mark.parametrize("gives", [True, False])
def test_a_probe_calibrates_the_gate_where_the_server_gives_log_probabilities(gives: bool, tmp_path: Path) -> None:
    needs = {task.ask: bool(task.calls) for task in load_suite("gate").tasks}

    def handle(request: Request) -> Canned:
        body = request.json()
        if "logprobs" not in body:
            return Canned(completion(" I know.\nFinal Answer: hi"))
        task = next(message["content"] for message in body["messages"] if message["role"] == "user")
        share = 0.1 if needs[task] else 0.9
        top = [{"token": " answer", "logprob": math.log(share)}]
        told: dict[str, Any] = {"logprobs": {"content": [{**top[0], "top_logprobs": top}]}} if gives else {}
        return Canned(completion(" answer", **told))

    with serve(handle) as server:
        (tmp_path / "react-engine.toml").write_text(
            f'[models.served]\nclient = "http"\napi_base = "{server.url}"\ncontinues = true\n', encoding="utf-8"
        )
        react_engine("models", "probe", "served", "--gate", "--config", str(tmp_path / "react-engine.toml"))
    gate = {fact.field: fact.value for fact in FactStore().facts("served")}["gate"]
    assert gate == ((0.3, 0.3) if gives else "off")
