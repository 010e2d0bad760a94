"""The loop, driven by hand: no model, no tools, no clock."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from react_engine.errors import ModelError, ModelTimeout, ToolsRefused
from react_engine.events import FellBack, Slip
from react_engine.limits import Limits
from react_engine.loop import Task, react_loop
from react_engine.models.base import RawCall, Reply
from react_engine.models.profile import ModelProfile
from react_engine.models.scripted import native_call, native_calls
from react_engine.protocol import Answered, AskModel, CallTools, Stopped
from react_engine.runs import EndState, FallbackReason
from react_engine.types import Message, Status, ToolCall, ToolResult, Usage
from tests.driving import NATIVE, PROMPT, drive, paths, succeed

ADD = 'Thought: I add.\nAction: add\nAction Input: {"a": 1, "b": 2}'
ANSWER = "Thought: I know.\nFinal Answer: 3"


def asked(demands: list[Any]) -> list[AskModel]:
    return [demand for demand in demands if isinstance(demand, AskModel)]


def called(demands: list[Any]) -> list[ToolCall]:
    return [call for demand in demands if isinstance(demand, CallTools) for call in demand.calls]


@pytest.mark.parametrize(
    ("profile", "replies"),
    [(NATIVE, [native_call("add", a=1, b=2), "3"]), (PROMPT, [ADD, ANSWER])],
    ids=["native", "prompt"],
)
def test_a_call_and_an_answer_end_as_answered(profile: ModelProfile, replies: list[Any]) -> None:
    run, demands = drive("1 + 2?", replies, using=paths(profile))
    assert (run.end, run.answer) == (EndState.ANSWERED, "3")
    assert [(call.name, call.arguments) for call in run.calls] == [("add", {"a": 1, "b": 2})]
    assert [result.status for result in run.results] == [Status.SUCCESS]
    assert [step.path for step in run.steps] == ["native" if profile is NATIVE else "prompt"] * 2
    assert len(asked(demands)) == 2


@pytest.mark.parametrize("profile", [NATIVE, PROMPT], ids=["native", "prompt"])
def test_the_transcript_of_both_paths_is_the_same(profile: ModelProfile) -> None:
    replies: list[Any] = [native_call("add", a=1, b=2), "3"] if profile is NATIVE else [ADD, ANSWER]
    run, _ = drive("1 + 2?", replies, using=paths(profile))
    user, turn, results, answer = run.transcript
    assert user == Message.user("1 + 2?")
    assert [(call.name, call.arguments) for call in turn.calls] == [("add", {"a": 1, "b": 2})]
    assert [result.call_id for result in results.results] == [turn.calls[0].id]
    assert (answer.role, answer.text) == ("assistant", "3")


def test_ids_are_unique_over_the_whole_conversation() -> None:
    same = Reply("", (RawCall("x", "add", '{"a":1,"b":2}'), RawCall("x", "add", '{"a":2,"b":2}')))
    run, _ = drive("?", [same, same, "done"])
    ids = [call.id for call in run.calls]
    assert len(set(ids)) == len(ids) == 4
    assert [result.call_id for result in run.results] == ids


def test_missing_ids_are_made() -> None:
    run, _ = drive("?", [Reply("", (RawCall("", "add", '{"a":1,"b":2}'),)), "3"])
    assert all(len(call.id) == 9 and call.id.isalnum() for call in run.calls)


def test_parallel_calls_are_run_together_and_answered_in_order() -> None:
    two = native_calls(("lookup", {"city": "Oslo"}), ("lookup", {"city": "Bonn"}))
    run, demands = drive("?", [two, "sun"])
    assert [len(demand.calls) for demand in demands if isinstance(demand, CallTools)] == [2]
    assert [result.call_id for result in run.results] == [call.id for call in run.calls]


def test_the_step_limit_asks_once_for_the_best_answer() -> None:
    calls = [native_call("add", a=n, b=1) for n in range(3)]
    run, demands = drive("?", [*calls, "about 3"], limits=Limits(steps=3))
    assert (run.end, run.answer, len(run.steps)) == (EndState.MAX_STEPS, "about 3", 3)
    last = asked(demands)[-1].request
    assert last.tool_choice == "none"


def test_a_call_instead_of_the_forced_answer_is_not_run() -> None:
    calls = [native_call("add", a=n, b=1) for n in range(3)]
    run, demands = drive("?", calls, limits=Limits(steps=2))
    assert (run.end, run.answer) == (EndState.MAX_STEPS, None)
    assert len(called(demands)) == 2


def test_the_call_limit_refuses_what_is_too_much_and_ends() -> None:
    three = native_calls(*(("add", {"a": n, "b": 1}) for n in range(3)))
    run, demands = drive("?", [three, "enough"], limits=Limits(calls=2))
    assert (run.end, run.answer) == (EndState.MAX_CALLS, "enough")
    assert [result.status for result in run.results] == [Status.SUCCESS, Status.SUCCESS, Status.RATE_LIMITED]
    assert len(called(demands)) == 2


def test_a_repeated_call_is_warned_refused_and_stopped() -> None:
    same = [native_call("add", a=1, b=2) for _ in range(4)]
    run, demands = drive("?", [*same, "3"])
    assert run.end is EndState.LOOP
    assert [result.code for result in run.results] == ["", "", "repeated_call", "repeated_call"]
    assert "same call" in run.results[1].hint
    assert len(called(demands)) == 2


def test_alternating_repeats_are_noticed() -> None:
    pair = [native_call("add", a=1, b=2), native_call("add", a=2, b=1)]
    replies = [call for _ in range(4) for call in (replace(pair[0]), replace(pair[1]))]
    run, _ = drive("?", [*replies, "3"], limits=Limits(steps=20))
    assert run.end is EndState.LOOP


def test_canonical_arguments_decide_what_is_the_same_call() -> None:
    replies: list[Reply | str | Exception] = [
        Reply("", (RawCall("", "add", '{"a": 1, "b": 2}'),)),
        Reply("", (RawCall("", "add", '{"b": 2.0, "a": 1}'),)),
        Reply("", (RawCall("", "add", '{"b":2,"a":1.0}'),)),
        "3",
    ]
    run, _ = drive("?", replies)
    assert [result.code for result in run.results] == ["", "", "repeated_call"]


def test_a_call_whose_result_changes_is_no_loop() -> None:
    counter = iter(range(100))

    def ticking(call: ToolCall) -> ToolResult:
        return replace(succeed(call), text=str(next(counter)))

    run, _ = drive("?", [*(native_call("lookup", city="Oslo") for _ in range(6)), "sun"], results=ticking)
    assert (run.end, len(run.calls)) == (EndState.ANSWERED, 6)


def test_the_loop_guard_can_be_switched_off() -> None:
    off = Limits(repeat_warn=None, repeat_refuse=None, repeat_stop=None)
    run, _ = drive("?", [*(native_call("add", a=1, b=2) for _ in range(6)), "3"], limits=off)
    assert (run.end, {result.hint for result in run.results}) == (EndState.ANSWERED, {""})


@pytest.mark.parametrize(
    ("limits", "reply"),
    [
        (Limits(tokens=100), replace(native_call("add", a=1, b=2), usage=Usage(80, 30))),
        (Limits(money=0.01), replace(native_call("add", a=1, b=2), usage=Usage(cost=0.02))),
    ],
    ids=["tokens", "money"],
)
def test_a_budget_ends_the_run_without_spending_more(limits: Limits, reply: Reply) -> None:
    run, demands = drive("?", [reply], limits=limits)
    assert (run.end, run.answer, len(asked(demands))) == (EndState.BUDGET, None, 1)
    assert len(run.results) == 1


def test_the_time_budget_counts_what_the_pump_says() -> None:
    run, _ = drive("?", [native_call("add", a=n, b=1) for n in range(9)], limits=Limits(seconds=5), seconds=2.0)
    assert run.end is EndState.BUDGET
    assert run.elapsed >= 5


def test_an_unreadable_reply_is_told_and_forgotten_once_mended() -> None:
    run, demands = drive("1 + 2?", ["Action: add\nAction Input: {'a': ", ADD, ANSWER], using=paths(PROMPT))
    assert (run.end, run.slips) == (EndState.ANSWERED, 1)
    second, third = asked(demands)[1].request, asked(demands)[2].request
    assert "Action: add" in str(second.messages[-1]["content"])
    assert len(second.messages) == 2  # the repair stands with the user's message, the slip is no turn
    assert "{'a':" not in str(third.messages)
    assert next(event for event in demands if isinstance(event, Slip)).raw.startswith("Action: add")


def test_replies_that_stay_unreadable_end_as_format() -> None:
    run, demands = drive("?", ["Thought: hm"] * 4 + ["It is 3."], using=paths(PROMPT))
    assert (run.end, run.answer, run.slips) == (EndState.FORMAT, "It is 3.", 4)
    assert len(asked(demands)) == 5


def test_good_steps_give_the_format_budget_back() -> None:
    replies = ["Thought: hm", ADD, "Thought: hm", "Thought: hm", ADD.replace("1", "5"), "Thought: hm", ANSWER]
    run, _ = drive("?", replies, using=paths(PROMPT), limits=Limits(format_retries=2))
    assert (run.end, run.slips) == (EndState.ANSWERED, 4)


def test_one_good_call_beside_a_broken_one_is_run_and_the_broken_one_told() -> None:
    both = ADD + "\nAction: lookup\nAction Input: {}"
    run, demands = drive("?", [both, ANSWER], using=paths(PROMPT))
    assert [call.name for call in run.calls] == ["add"]
    assert "city" in str(asked(demands)[1].request.messages[-1]["content"])


def test_a_cut_call_is_never_run() -> None:
    cut = Reply("", (RawCall("1", "send_mail", '{"to": "a@b.c", "body": "Dear'),), finish_reason="length")
    run, demands = drive("?", [cut, "sorry"])
    assert called(demands)[0].problem is not None
    assert run.end is EndState.ANSWERED


def test_a_call_that_was_cut_under_a_constraint_gets_more_room() -> None:
    cut = Reply('Thought: I add.\nAction: add\nAction Input: {"a": 1, "b"', finish_reason="length")
    held = paths(replace(PROMPT, constraint="gbnf"))
    run, demands = drive("1 + 2?", [cut, cut, ADD, ANSWER], using=held, sampling={"max_tokens": 100})
    first, second, third, after = (demand.request for demand in asked(demands))
    assert [request.sampling["max_tokens"] for request in (first, second, third, after)] == [100, 200, 400, 100]
    assert first.messages == second.messages == third.messages
    assert (run.end, run.slips, len(run.calls)) == (EndState.ANSWERED, 2, 1)


def test_room_has_an_end() -> None:
    cut = Reply('Thought: I add.\nAction: add\nAction Input: {"a": 1, "b"', finish_reason="length")
    held = paths(replace(PROMPT, constraint="gbnf"))
    limits = Limits(format_retries=2)
    run, _ = drive("1 + 2?", [cut] * 3 + [ANSWER], using=held, sampling={"max_tokens": 100}, limits=limits)
    assert (run.end, run.slips, run.answer) == (EndState.TRUNCATED, 3, "3")


@pytest.mark.parametrize(
    ("profile", "sampling"), [(PROMPT, {"max_tokens": 100}), (replace(PROMPT, constraint="gbnf"), {})]
)
def test_without_a_constraint_or_a_limit_a_cut_call_is_told(profile: ModelProfile, sampling: dict[str, Any]) -> None:
    cut = Reply('Thought: I add.\nAction: add\nAction Input: {"a": 1, "b"', finish_reason="length")
    _, demands = drive("1 + 2?", [cut, ADD, ANSWER], using=paths(profile), sampling=sampling)
    first, second, _ = (demand.request for demand in asked(demands))
    assert "cut off" in str(second.messages)
    assert second.sampling == first.sampling


def test_a_cut_answer_ends_as_truncated_with_what_there_is() -> None:
    run, _ = drive("?", [Reply("The answer is", finish_reason="length")])
    assert (run.end, run.answer) == (EndState.TRUNCATED, "The answer is")


def test_refused_tools_switch_to_the_prompt_path_and_go_on() -> None:
    run, demands = drive("1 + 2?", [ToolsRefused("no tools"), ADD, ANSWER])
    assert (run.end, run.answer) == (EndState.ANSWERED, "3")
    assert [(item.reason, item.origin, item.target) for item in run.fallbacks] == [
        (FallbackReason.TOOLS_REFUSED, "native", "prompt")
    ]
    assert any(isinstance(event, FellBack) for event in demands)


def test_a_forced_native_path_does_not_fall_back() -> None:
    run, _ = drive("?", [ToolsRefused("no tools")], using=paths(choice="native"))
    assert run.end is EndState.ERROR
    assert isinstance(run.error, ToolsRefused)


def test_a_leaked_call_is_read_in_place_without_a_second_request() -> None:
    leaked = '```json\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n```'
    run, demands = drive("1 + 2?", [leaked, "3"])
    assert (run.end, len(asked(demands))) == (EndState.ANSWERED, 2)
    assert [(item.reason, item.target) for item in run.fallbacks] == [(FallbackReason.LEAKED_CALL, "native")]
    history = asked(demands)[1].request.messages
    assert history[1]["tool_calls"][0]["function"]["name"] == "add"
    assert history[2]["role"] == "tool"


def test_silently_dropped_tools_are_noticed_and_asked_again_on_the_prompt_path() -> None:
    prose = Reply("I cannot compute.", finish_reason="stop", usage=Usage(prompt_tokens=20))
    run, _ = drive("1 + 2?", [prose, ADD, ANSWER])
    assert run.answer == "3"
    assert run.fallbacks[0].reason is FallbackReason.TOOLS_DROPPED


def test_native_arguments_that_stay_malformed_switch_to_the_prompt_path() -> None:
    broken = Reply("", (RawCall("1", "lookup", '{"city" "Oslo"'),), finish_reason="tool_calls")
    run, demands = drive("?", [broken, broken, ADD, ANSWER], results=lambda call: _told(call))
    assert run.end is EndState.ANSWERED
    assert [item.reason for item in run.fallbacks] == [FallbackReason.MALFORMED_ARGUMENTS]
    assert asked(demands)[2].path.name == "prompt"


def _told(call: ToolCall) -> ToolResult:
    if call.problem is None:
        return succeed(call)
    return ToolResult(call.id, call.name, Status.VALIDATION_ERROR, call.problem.message)


@pytest.mark.parametrize("feature", ["stop", "system", "roles", "temperature"])
def test_what_a_server_refuses_is_given_up(feature: str) -> None:
    error = ModelError(f"refuses {feature}", status=400)
    error.refused = feature
    profile = replace(PROMPT, sampling={"temperature": 0.2})
    run, demands = drive("1 + 2?", [error, ADD, ANSWER], using=paths(profile))
    assert run.end is EndState.ANSWERED
    assert [(item.reason, item.detail) for item in run.fallbacks] == [(FallbackReason.FEATURE_REFUSED, feature)]
    request = asked(demands)[1].request
    if feature == "stop":
        assert request.stop == ()
    elif feature == "temperature":
        assert request.sampling == {}
    else:
        assert [message["role"] for message in request.messages] == ["user"]


def test_an_error_of_the_server_ends_the_run_and_says_what_to_do() -> None:
    run, _ = drive("?", [ModelTimeout("No answer.", hint="Allow more time.")])
    assert (run.end, run.message) == (EndState.ERROR, "No answer. Allow more time.")


def test_denied_calls_twice_in_a_row_end_as_denied() -> None:
    def deny(call: ToolCall) -> ToolResult:
        return ToolResult(call.id, call.name, Status.DENIED, "No.", code="denied")

    mails = [native_call("send_mail", to="a", body=str(n)) for n in range(2)]
    run, _ = drive("?", [*mails, "I may not."], results=deny)
    assert (run.end, run.answer) == (EndState.DENIED, "I may not.")


def test_a_forced_call_is_forced_only_once() -> None:
    run, demands = drive("1 + 2?", [native_call("add", a=1, b=2), "3"], tool_choice="add")
    choices = [demand.request.tool_choice for demand in asked(demands)]
    assert choices == [{"type": "function", "function": {"name": "add"}}, "auto"]
    assert run.end is EndState.ANSWERED


@pytest.mark.parametrize("profile", [NATIVE, PROMPT])
def test_no_call_is_run_where_none_may_be_made(profile: ModelProfile) -> None:
    run, demands = drive("1 + 2?", [ADD, ANSWER], using=paths(profile), tool_choice="none")
    assert called(demands) == []
    assert (run.end, run.answer) == (EndState.ANSWERED, "3")
    assert [(result.status, result.code) for result in run.results] == [(Status.DENIED, "tool_choice")]
    assert "No tool may be used now" in str(asked(demands)[1].request.messages[-1]["content"])


def test_a_named_tool_is_asked_for_until_it_is_called() -> None:
    run, demands = drive(
        "?", [native_call("add", a=1, b=2), native_call("lookup", city="Oslo"), "Sun."], tool_choice="lookup"
    )
    choices = [demand.request.tool_choice for demand in asked(demands)]
    assert choices == [*[{"type": "function", "function": {"name": "lookup"}}] * 2, "auto"]
    assert (run.end, [result.ok for result in run.results]) == (EndState.ANSWERED, [False, True])


def test_a_stopped_run_keeps_what_was_done() -> None:
    loop = react_loop(Task((Message.user("?"),), paths()))
    while not isinstance(loop.send(None), AskModel):
        pass
    with pytest.raises(StopIteration) as ended:
        loop.send(Stopped(1.5))
    run = ended.value.value
    assert (run.end, run.elapsed, run.transcript) == (EndState.CANCELLED, 1.5, (Message.user("?"),))


def test_a_run_stopped_among_its_calls_keeps_what_came_of_them() -> None:
    loop = react_loop(Task((Message.user("?"),), paths()))
    demand, answer = loop.send(None), None
    while not isinstance(demand, CallTools):
        if isinstance(demand, AskModel):
            answer = Answered(native_calls(("add", {"a": 1, "b": 2}), ("add", {"a": 3, "b": 4})))
        demand, answer = loop.send(answer), None
    done = ToolResult(demand.calls[0].id, "add", Status.SUCCESS, "3")
    with pytest.raises(StopIteration) as ended:
        loop.send(Stopped(1.5, [done]))
    run = ended.value.value
    assert (run.end, run.elapsed, run.calls) == (EndState.CANCELLED, 1.5, demand.calls)
    assert [(result.status, result.text) for result in run.results] == [
        (Status.SUCCESS, "3"),
        (Status.CANCELLED, "add did not come to its end: the run was stopped."),
    ]
    assert run.transcript[-1] == Message.tool(run.results)


@pytest.mark.parametrize("choice", ["required", "add"])
def test_an_answer_in_place_of_a_required_call_is_asked_again(choice: str) -> None:
    run, demands = drive("1 + 2?", ["Final Answer: 3", ADD, ANSWER], using=paths(PROMPT), tool_choice=choice)
    assert (run.end, run.slips, len(run.calls)) == (EndState.ANSWERED, 1, 1)
    assert "without calling" in str(asked(demands)[1].request.messages[-1]["content"])
