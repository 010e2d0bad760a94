"""``react-engine run``: the answer on stdout, the steps on stderr, and an exit code for each end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from react_engine.cli import exit_codes
from react_engine.runs import EndState
from tests.cli.driving import ADD, ANSWER, Done, house, react_engine
from tests.loopback import Canned, chunks, sse

PAY = 'Action: pay\nAction Input: {"amount": 3}'
ADDS = tuple(f'Thought: more\nAction: add\nAction Input: {{"a": {a}, "b": 2}}' for a in range(4))


def test_the_answer_is_all_of_stdout_and_the_steps_are_on_stderr(tmp_path: Path) -> None:
    with house(tmp_path, ADD, ANSWER) as here:
        done = here.run("1 + 2?")
    *steps, totals = done.err.splitlines()
    assert (done.code, done.out) == (0, "It is 3.\n")
    assert steps == [
        "step 1 (prompt)", "thought: I add.", '→ add {"a": 1, "b": 2}', "add was called", "← 3",
        "step 2 (prompt)", "thought: I know.",
    ]  # fmt: skip
    assert totals.startswith("2 steps, 1 call, 36 tokens, ")


def test_quiet_leaves_the_answer_alone(tmp_path: Path) -> None:
    with house(tmp_path, ANSWER) as here:
        assert here.run("-q", "1 + 2?") == Done(0, "It is 3.\n", "")


def test_json_is_the_whole_run(tmp_path: Path) -> None:
    with house(tmp_path, ADD, ANSWER) as here:
        done = here.run("--json", "1 + 2?")
    run = done.data
    assert (done.code, run["end"], run["answer"], run["model"]) == (0, "answered", "It is 3.", "served")
    assert [call["arguments"] for step in run["steps"] for call in step["calls"]] == [{"a": 1, "b": 2}]
    assert [result["text"] for step in run["steps"] for result in step["results"]] == ["3"]
    assert [message["role"] for message in run["transcript"]] == ["user", "assistant", "tool", "assistant"]
    assert run["usage"] == {
        "prompt_tokens": 22, "completion_tokens": 14, "cached_tokens": 0, "cost": None, "total_tokens": 36,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("end", "replies", "args", "settings", "says"),
    [
        (EndState.MAX_STEPS, ADDS, ("--max-steps", "2"), "", "--max-steps"),
        (EndState.MAX_CALLS, ADDS, ("--max-calls", "2"), "", "--max-calls"),
        (EndState.LOOP, (ADD,), (), "", "repeated"),
        (EndState.BUDGET, (ADD,), (), "[limits]\ntokens = 10", "10 tokens"),
        (EndState.FORMAT, ("Thought: hm",), (), "", "could not be read"),
        (EndState.TRUNCATED, (sse(chunks("Thought: I", finish="length")),), (), "", "--max-tokens"),
        (EndState.DENIED, (PAY,), (), "", "--yes"),
        (EndState.ERROR, (Canned({"error": {"message": "kaboom"}}, 500),), (), "", "kaboom"),
    ],
    ids=lambda value: str(value) if isinstance(value, EndState) else "",
)
def test_each_end_has_its_exit_code_and_says_what_to_do(
    end: EndState, replies: Any, args: tuple[str, ...], settings: str, says: str, tmp_path: Path
) -> None:
    with house(tmp_path, *replies, settings=settings) as here:
        done = here.run(*args, "go")
    assert (done.code, done.out) == (exit_codes.BY_END[end], "")
    assert done.err.splitlines()[-1].startswith(f"{end}: ")
    assert says in done.err.splitlines()[-1]


def test_an_unreadable_reply_is_shown_with_what_was_wrong(tmp_path: Path) -> None:
    with house(tmp_path, "Action: sub\nAction Input: {broken", ANSWER) as here:
        done = here.run("go")
    assert done.out == "It is 3.\n"
    assert "unreadable: " in done.err
    assert r'the reply was: "Action: sub\nAction Input: {broken"' in done.err


def test_exit_codes_are_distinct_and_documented() -> None:
    others = (exit_codes.FAILED, exit_codes.USAGE, exit_codes.CONFIGURATION, exit_codes.UNREADABLE)
    codes = [*exit_codes.BY_END.values(), *others, exit_codes.PIPE_CLOSED]
    assert set(exit_codes.BY_END) == set(EndState)
    assert len(set(codes)) == len(codes)
    assert all(f" {code}  " in exit_codes.HELP for code in codes)


def test_a_tool_with_side_effects_is_not_run_where_nobody_can_be_asked(tmp_path: Path) -> None:
    with house(tmp_path, PAY, ANSWER) as here:
        done = here.run("go")
    assert done.code == 0
    assert "pay was not run: it asks first, and there is no terminal to ask at. --yes allows it." in done.err
    assert "← denied:" in done.err


@pytest.mark.parametrize(("args", "settings"), [(("--yes",), ""), ((), 'confirm = "allow"')])
def test_yes_and_the_setting_allow_side_effects(args: tuple[str, ...], settings: str, tmp_path: Path) -> None:
    with house(tmp_path, PAY, ANSWER) as here:
        if settings:
            config = tmp_path / "react-engine.toml"
            config.write_text(config.read_text("utf-8").replace("[tools]\n", f"[tools]\n{settings}\n"), "utf-8")
        done = here.run(*args, "go")
    assert "← paid 3" in done.err


def test_a_setting_denies_side_effects(tmp_path: Path) -> None:
    with house(tmp_path, PAY, ANSWER) as here:
        config = tmp_path / "react-engine.toml"
        config.write_text(config.read_text("utf-8").replace("[tools]\n", '[tools]\nconfirm = "deny"\n'), "utf-8")
        assert "the settings deny tools with side effects" in here.run("go").err


def test_what_a_secret_tool_gave_is_shown_nowhere(tmp_path: Path) -> None:
    with house(tmp_path, "Action: password\nAction Input: {}", ANSWER) as here:
        shown = [here.run("go"), here.run("--json", "go")]
        asked = str(here.server.bodies[1]["messages"])
    assert "open sesame" in asked
    assert all("open sesame" not in done.out + done.err for done in shown)
    assert "← <secret>" in shown[0].err


HOSTILE = "Thought: a\x1b[2Jb\nFinal Answer: \x1b]0;title\x07is\x9b31m 3\r\x00 \u202egnp.exe"


def test_control_characters_of_a_model_reach_no_terminal(tmp_path: Path) -> None:
    with house(tmp_path, HOSTILE) as here:
        plain, as_json = here.run("go"), here.run("--json", "go")
    for char in "\x1b\x07\x9b\r\x00\u202e":
        assert char not in plain.out + plain.err + as_json.out + as_json.err
    assert plain.out == "␛]0;title␇is\ufffd31m 3␍␀ \ufffdgnp.exe\n"
    assert as_json.data["answer"] == HOSTILE.partition("Final Answer: ")[2]


def test_control_characters_of_a_server_reach_no_terminal(tmp_path: Path) -> None:
    with house(tmp_path, Canned({"error": {"message": "bad \x1b[31m key"}}, 401)) as here:
        done = here.run("go")
    assert (done.code, "\x1b" in done.err, "bad ␛[31m key" in done.err) == (4, False, True)


def test_lone_surrogates_of_a_model_are_no_failure(tmp_path: Path) -> None:
    with house(tmp_path, sse([r'data: {"choices":[{"delta":{"content":"Final Answer: \ud83d!"}}]}' + "\n\n"])) as here:
        plain, as_json = here.run("go"), here.run("--json", "go")
    assert (plain.code, plain.out) == (0, "\ufffd!\n")
    assert as_json.data["answer"] == "?!"


def test_a_huge_answer_is_printed_whole_and_a_huge_result_shortened(tmp_path: Path) -> None:
    flood = 'Action: add\nAction Input: {"a": ' + "1" * 3000 + ', "b": 2}'
    answer = Canned(sse(chunks("Final Answer: " + "x" * 300_000)).body)
    with house(tmp_path, flood, answer) as here:
        done = here.run("go")
    assert done.out == "x" * 300_000 + "\n"
    assert max(map(len, done.err.splitlines())) < 500


@pytest.mark.parametrize("path", ["prompt", "native"])
def test_show_prompt_prints_the_first_request_and_sends_nothing(path: str, tmp_path: Path) -> None:
    with house(tmp_path, ANSWER) as here:
        done = here.run("--path", path, "--show-prompt", "-i", "Be brief.", "1 + 2?")
        as_json = here.run("--path", path, "--show-prompt", "--json", "1 + 2?").data
        assert here.server.requests == []
    assert done.code == 0
    assert "Be brief." in done.out
    assert "--- user\n1 + 2?" in done.out
    assert "Add two numbers." in done.out
    assert ("--- tools\n" in done.out) is (path == "native") is ("tools" in as_json)
    assert as_json["messages"][-1] == {"role": "user", "content": "1 + 2?"}


@pytest.mark.parametrize(
    ("args", "stdin", "task"),
    [
        (("1", "+", "2?"), "", "1 + 2?"),
        ((), "1 + 2?\n", "1 + 2?\n"),
        (("-",), "1 + 2?", "1 + 2?"),
        (("Summarise", "this:", "-"), "a text", "Summarise this:\na text"),
        (("--", "-5 + 8?"), "", "-5 + 8?"),
        ((), "\ufeffwith a mark", "with a mark"),
        ((), "in UTF-16".encode("utf-16"), "in UTF-16"),
        ((), b"Z\xfcrich?", "Z\ufffdrich?"),
    ],
)
def test_the_task_comes_from_arguments_or_stdin(
    args: tuple[str, ...], stdin: str | bytes, task: str, tmp_path: Path
) -> None:
    with house(tmp_path, ANSWER) as here:
        done = here.run(*args, stdin=stdin)
        assert done.out == "It is 3.\n"
        assert here.server.bodies[0]["messages"][-1]["content"] == task
    assert ("not all UTF-8" in done.err) is (task == "Z\ufffdrich?")


@pytest.mark.parametrize("args", [(), ("",), ("  ",), ("-",)])
def test_no_task_is_wrong_usage(args: tuple[str, ...]) -> None:
    done = react_engine("run", *args)
    assert (done.code, done.out) == (exit_codes.USAGE, "")
    assert "There is no task" in done.err


def test_options_reach_the_request(tmp_path: Path) -> None:
    with house(tmp_path, ANSWER) as here:
        here.run("--temperature", "0.5", "--max-tokens", "77", "--language", "zh", "go")
        body = here.server.bodies[0]
    assert (body["temperature"], body["max_tokens"]) == (0.5, 77)
    assert "最终答案" in body["messages"][0]["content"]


def test_a_server_needs_no_settings_file(tmp_path: Path) -> None:
    with house(tmp_path, ADD, ANSWER) as here:
        tools = str(tmp_path / "my_tools.py")
        done = react_engine(
            "run", "-m", "some", "--api-base", here.server.url, "--tools", tools, "--path", "prompt", "go"
        )
    assert (done.code, done.out) == (0, "It is 3.\n")


@pytest.mark.parametrize(("dialect", "noted"), [("react", False), ("hermes", False), ("harmony", True)])
def test_a_dialect_without_prompts_is_taken_with_a_note(dialect: str, noted: bool, tmp_path: Path) -> None:
    with house(tmp_path, ANSWER) as here:
        done = here.run("-q", "--dialect", dialect, "go")
    assert (done.code, done.out) == (0, "It is 3.\n")
    assert (f"there are no prompts in the dialect {dialect}" in done.err) is noted
