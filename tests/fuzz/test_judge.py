"""What counts as right, missed, wrong and invented; how counts add up; how failures get shorter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from react_engine.fuzz.cases import Case
from react_engine.fuzz.judge import Outcome, Read, equal, judge
from react_engine.fuzz.meaning import Call, Survival
from react_engine.fuzz.parsers import own
from react_engine.fuzz.run import Plan, batch, run, run_cases
from react_engine.fuzz.shrink import shrunk
from react_engine.fuzz.summary import figures
from react_engine.fuzz.tally import Tally, bucket, edge

ONE, TWO, OTHER = Call("f", {"a": 1}), Call("g", {}), Call("f", {"a": 2})
TOOLS = [{"name": "f", "parameters": {}}, {"name": "g", "parameters": {}}]
CASE = Case("1", "text", TOOLS, survival=Survival.RECOVER, calls=(ONE, TWO))


@pytest.mark.parametrize(
    ("survival", "read", "outcome"),
    [
        (Survival.RECOVER, (ONE, TWO), Outcome.RIGHT),
        (Survival.RECOVER, (TWO, ONE), Outcome.WRONG),
        (Survival.RECOVER, (ONE,), Outcome.PARTIAL),
        (Survival.RECOVER, (), Outcome.MISSED),
        (Survival.RECOVER, (OTHER, TWO), Outcome.WRONG),
        (Survival.RECOVER, (ONE, TWO, TWO), Outcome.WRONG),
        (Survival.EITHER, (ONE, TWO), Outcome.RIGHT),
        (Survival.EITHER, (ONE,), Outcome.RIGHT),
        (Survival.EITHER, (), Outcome.RIGHT),
        (Survival.EITHER, (Call("no_such_tool", {}),), Outcome.RIGHT),
        (Survival.EITHER, (OTHER,), Outcome.WRONG),
        (Survival.REFUSE, (), Outcome.RIGHT),
        (Survival.REFUSE, (ONE,), Outcome.INVENTED),
        (Survival.FREE, (OTHER,), Outcome.RIGHT),
        (None, (OTHER,), Outcome.RIGHT),
    ],
)
def test_calls_are_judged_by_what_the_damage_left(
    survival: Survival | None, read: tuple[Call, ...], outcome: Outcome
) -> None:
    assert judge(replace(CASE, survival=survival), Read(read)) is outcome


def test_a_crash_is_a_crash_whatever_was_meant() -> None:
    for survival in (*Survival, None):
        case = replace(CASE, survival=survival)
        assert judge(case, Read(error="KeyError: 'x'")) is Outcome.CRASH
        assert judge(case, Read(violation="span")) is Outcome.BROKEN
        assert judge(case, Read(timeout=True)) is Outcome.TIMEOUT


def test_an_answer_counts_where_it_is_known() -> None:
    case = Case("1", "text", [], survival=Survival.REFUSE, answer="The boat\nleaves.")
    assert judge(case, Read(answer="The boat  leaves. ")) is Outcome.RIGHT
    assert judge(case, Read(answer="Final Answer: The boat leaves.")) is Outcome.TEXT
    assert judge(replace(case, answer=None), Read(answer="anything")) is Outcome.RIGHT


def test_numbers_are_equal_by_value_and_truth_is_no_number() -> None:
    assert equal({"a": [1, 2.0]}, {"a": [1.0, 2]})
    assert not equal(1, True)
    assert not equal({"a": 0}, {"a": False})
    assert not equal([1], [1, 1])


def test_counts_of_two_processes_add_up() -> None:
    plan = Plan(seed=2, replies=None)
    both, first = batch(plan, 0, 120), batch(plan, 0, 60)
    first.merge(batch(plan, 60, 60))
    assert first.cells == both.cells
    assert first.outcomes == both.outcomes
    assert first.characters == both.characters
    assert first.total == both.total == 120


def test_a_run_in_several_processes_counts_the_same() -> None:
    one, two = run(Plan(seed=4, replies=300)), run(Plan(seed=4, replies=300, jobs=2))
    assert one.tally.cells == two.tally.cells
    assert one.tally.outcomes == two.tally.outcomes


def test_a_run_ends_when_its_time_is_over() -> None:
    assert run(Plan(replies=None, seconds=0.01)).tally.total <= 250


def test_percentiles_stand_at_the_edges_of_buckets() -> None:
    tally = Tally()
    for seconds in (1e-5,) * 90 + (1e-2,) * 10:
        tally.add(CASE, Read(seconds=seconds), Outcome.RIGHT)
    assert tally.percentile(0.5) == edge(bucket(1e-5) + 1)
    assert tally.percentile(0.99) == edge(bucket(1e-2) + 1)
    assert tally.slowest == (1e-2, CASE)


def test_figures_say_how_much_was_recovered() -> None:
    tally = run_cases([CASE, replace(CASE, survival=Survival.REFUSE)], lambda _case: Read((ONE, TWO)))
    data = figures(tally)
    assert (data["recovered_percent"], data["invented"], data["refused_percent"], data["wrong"]) == (100.0, 1, 0.0, 0)


def test_a_crash_shrinks_to_the_text_that_causes_it() -> None:
    def parser(case: Case) -> Read:
        return Read(error="boom") if "!" in case.text and "?" in case.text else Read()

    case = replace(CASE, text="some words ? and then ! more of them" * 20)
    short = shrunk(case, parser, Outcome.CRASH)
    assert sorted(short.text) == ["!", "?"]
    assert short.survival is Survival.FREE
    assert judge(short, parser(short)) is Outcome.CRASH


def test_a_wrong_call_keeps_its_text_and_loses_the_tools_that_play_no_part() -> None:
    tools = [*TOOLS, {"name": "idle", "parameters": {}}]
    short = shrunk(replace(CASE, tools=tools), lambda _case: Read((OTHER,)), Outcome.WRONG)
    assert (short.text, short.tools) == (CASE.text, TOOLS)


def test_the_reader_itself_is_checked_for_its_contract() -> None:
    read = own(Case("1", 'Action: f\nAction Input: {"a": 1}', TOOLS), streamed=1)
    assert (read.calls, read.error, read.violation) == ((ONE,), "", "")
