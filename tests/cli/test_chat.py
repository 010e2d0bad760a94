"""``react-engine chat``: turns, the commands behind a slash, and what survives a turn that fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from react_engine.cli import exit_codes
from tests.cli.driving import ADD, ANSWER, house
from tests.loopback import Canned

BROKEN = Canned({"error": {"message": "kaboom"}}, 500)
SECOND = "Thought: I know.\nFinal Answer: As I said."


def test_each_line_is_a_turn_of_one_conversation(tmp_path: Path) -> None:
    with house(tmp_path, ADD, ANSWER, SECOND) as here:
        done = here.chat("1 + 2?", "", "  ", "Again?", "/quit", "never said", args=("-q",))
        asked = [str(message["content"]) for message in here.server.bodies[2]["messages"]]
    assert (done.code, done.out) == (0, "It is 3.\nAs I said.\n")
    assert len(here.server.requests) == 3
    assert asked[1] == "1 + 2?"
    assert "It is 3." in asked[-2]
    assert asked[-1] == "Again?"


def test_steps_are_told_unless_quiet(tmp_path: Path) -> None:
    with house(tmp_path, ADD, ANSWER) as here:
        assert '→ add {"a": 1, "b": 2}' in here.chat("1 + 2?").err
    with house(tmp_path, ADD, ANSWER) as here:
        assert "→" not in here.chat("1 + 2?", args=("-q",)).err


def test_the_commands_do_what_help_says(tmp_path: Path) -> None:
    with house(tmp_path, ADD, ANSWER) as here:
        done = here.chat("1 + 2?", "/tools", "/history", "/reset", "/history", "/path", "/model", "/help", args=("-q",))
    *shown, helped = done.out.split("\n/path auto|native|prompt")
    assert shown == [
        "It is 3.\nadd: Add two numbers.\npay (asks first): Pay an amount.\npassword: The password.\n"
        'user: 1+2?\n→ add {"a": 1, "b": 2}\n← 3\nassistant: It is 3.'.replace("1+2", "1 + 2")
    ]
    assert "/quit" in helped
    assert done.err.splitlines()[-3:] == [
        "The conversation is forgotten.",
        "The path is auto; say /path auto, native or prompt.",
        "The model is served.",
    ]


def test_the_path_changes_in_mid_conversation(tmp_path: Path) -> None:
    with house(tmp_path, ADD, ANSWER, "It is still 3.") as here:
        done = here.chat("1 + 2?", "/path native", "And now?", args=("-q",))
        before, after = here.server.bodies[1], here.server.bodies[2]
    assert done.out == "It is 3.\nIt is still 3.\n"
    assert ("tools" in before, "tools" in after) == (False, True)
    assert [message["role"] for message in after["messages"]] == ["user", "assistant", "tool", "assistant", "user"]


def test_the_model_changes_in_mid_conversation(tmp_path: Path) -> None:
    record = '[models.other]\nclient = "http"\napi_base = "{}"\nfunction_calling = false\n'
    with house(tmp_path, ANSWER, SECOND) as here:
        config = tmp_path / "react-engine.toml"
        config.write_text(config.read_text("utf-8") + record.format(here.server.url), "utf-8")
        done = here.chat("1 + 2?", "/model other", "Again?", args=("-q",))
        bodies = here.server.bodies
    assert done.out == "It is 3.\nAs I said.\n"
    assert [body["model"] for body in bodies] == ["served", "other"]
    assert "It is 3." in str(bodies[1]["messages"])


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("/tols", "There is no command /tols. Did you mean tools? /help lists them."),
        ("/", "There is no command /. /help lists them."),
        ("/path sideways", "say /path auto, native or prompt."),
        ("/model local/nope", "Error: There is no local model 'nope'."),
        ("/model  ", "The model is served."),
    ],
)
def test_a_wrong_command_is_explained_and_the_chat_goes_on(line: str, says: str, tmp_path: Path) -> None:
    with house(tmp_path, ANSWER) as here:
        done = here.chat(line, "1 + 2?", args=("-q",))
    assert done.out == "It is 3.\n"
    assert says in done.err


def test_a_turn_that_fails_leaves_the_conversation_as_it_was(tmp_path: Path) -> None:
    with house(tmp_path, ANSWER, BROKEN, SECOND) as here:
        done = here.chat("1 + 2?", "Fail!", "Again?", args=("-q",))
        asked = str(here.server.bodies[-1]["messages"])
    assert done.out == "It is 3.\nAs I said.\n"
    assert "kaboom" in done.err
    assert "1 + 2?" in asked
    assert "Fail!" not in asked


@pytest.mark.parametrize(("replies", "code"), [((BROKEN, ANSWER), 0), ((ANSWER, BROKEN), exit_codes.MODEL)])
def test_the_exit_code_of_a_piped_chat_is_that_of_the_last_turn(
    replies: tuple[str | Canned, ...], code: int, tmp_path: Path
) -> None:
    with house(tmp_path, *replies) as here:
        assert here.chat("one", "two").code == code


def test_control_characters_in_history_reach_no_terminal(tmp_path: Path) -> None:
    with house(tmp_path, "Final Answer: \x1b[2Jdone") as here:
        done = here.chat("go \x1b[31m", "/history", args=("-q",))
    assert done.out == "␛[2Jdone\nuser: go ␛[31m\nassistant: ␛[2Jdone\n"
