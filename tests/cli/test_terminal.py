"""At a real terminal: colours, the answer as it comes, the question before a side effect, the chat's keyboard."""

from __future__ import annotations

import re
import sys
import threading
from pathlib import Path

import pytest

from tests.cli.driving import ADD, ANSWER, PATIENCE, house, terminal
from tests.loopback import Canned, Request, only, serve

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")

PAY = 'Action: pay\nAction Input: {"amount": 3}'
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
PLAIN = {"NO_COLOR": "1"}


def test_steps_are_coloured_and_the_answer_is_plain(tmp_path: Path) -> None:
    with house(tmp_path, ADD, ANSWER) as here, terminal("run", *here.config, "go", folder=tmp_path) as screen:
        assert screen.end() == 0
    assert '\x1b[36m→ add {"a": 1, "b": 2}\x1b[0m' in screen.shown
    lines = ESCAPE.sub("", screen.shown).splitlines()
    assert [line for line in lines if line == "It is 3."] == ["It is 3."]
    assert lines[-1].startswith("2 steps, 1 call, 36 tokens, ")


def test_no_color_is_respected(tmp_path: Path) -> None:
    with (
        house(tmp_path, ADD, ANSWER) as here,
        terminal("run", *here.config, "go", folder=tmp_path, env=PLAIN) as screen,
    ):
        assert screen.end() == 0
    assert "\x1b[3" not in screen.shown.replace("\x1b[3m", "")  # italic is no colour


def test_a_hostile_answer_cannot_drive_the_terminal(tmp_path: Path) -> None:
    hostile = "Thought: \x1b[2J:smile: [red]x[/red]\nFinal Answer: a\x1b]0;t\x07b\r\nc\x9bd"
    with house(tmp_path, hostile) as here, terminal("run", *here.config, "go", folder=tmp_path) as screen:
        assert screen.end() == 0
    shown = ESCAPE.sub("", screen.shown)
    assert "\x1b" not in shown
    assert "thought: ␛[2J:smile: [red]x[/red]\n" in shown
    assert "a␛]0;t␇b\nc\ufffdd\n" in shown


@pytest.mark.parametrize(
    ("typed", "result"),
    [("y\n", "← paid 3"), ("YES\n", "← paid 3"), ("\n", "← denied:"), ("n\n", "← denied:"), ("yup\n", "← denied:")],
)
def test_a_side_effect_is_asked_for(typed: str, result: str, tmp_path: Path) -> None:
    with house(tmp_path, PAY, ANSWER) as here, terminal("run", *here.config, "go", folder=tmp_path) as screen:
        screen.wait_for('pay has side effects. It would run with {"amount": 3}\nRun it? [y/N] ')
        screen.type(typed)
        assert screen.end() == 0
    assert result in screen.shown


def test_what_would_run_is_shown_whole_or_said_to_be_cut(tmp_path: Path) -> None:
    hidden = PAY.replace("3", '"' + "x" * 5000 + '\\u009b31m"')
    with house(tmp_path, hidden, ANSWER) as here:
        (tmp_path / "my_tools.py").write_text(
            "from react_engine import tool\n\n@tool(side_effects=True)\ndef pay(amount: str) -> str:\n"
            '    """Pay."""\n    return "paid"\n',
            encoding="utf-8",
        )
        with terminal("run", *here.config, "go", folder=tmp_path) as screen:
            assert re.search(r"x … and \d+ characters more, NOT SHOWN\nRun it", screen.wait_for("Run it? [y/N] "))
            screen.type("\n")
            assert screen.end() == 0


def test_an_interrupt_at_the_question_ends_the_run(tmp_path: Path) -> None:
    with house(tmp_path, PAY, ANSWER) as here, terminal("run", *here.config, "go", folder=tmp_path) as screen:
        screen.wait_for("Run it? [y/N] ")
        screen.type("\x03")
        assert screen.end() == 130
    assert screen.shown.endswith("Interrupted.\n")
    assert "paid" not in screen.shown


def test_a_chat_is_typed_and_ended_with_ctrl_d(tmp_path: Path) -> None:
    with (
        house(tmp_path, ADD, ANSWER, PAY, "Final Answer: Paid.") as here,
        terminal("chat", "-q", *here.config, folder=tmp_path, env=PLAIN) as screen,
    ):
        screen.wait_for("> ")
        screen.type("1 + 2?\n")
        screen.wait_for("It is 3.\n")
        screen.wait_for("> ")
        screen.type("Pay 3.\n")
        screen.wait_for("Run it? [y/N] ")
        screen.type("y\n")
        screen.wait_for("Paid.\n")
        screen.wait_for("> ")
        screen.type("\x03\n")  # a signal between prompt and wait is noticed with the next key only
        screen.wait_for("Ctrl-D or /quit ends.")
        screen.wait_for("> ")
        screen.type("\x04")
        assert screen.end() == 0
    assert "paid 3" in str(here.server.bodies[-1]["messages"])


def test_an_interrupted_turn_leaves_the_chat_going(tmp_path: Path) -> None:
    asked = threading.Event()

    def hanging_first(request: Request) -> Canned:
        if not asked.is_set():
            asked.set()
            return only("hang")
        return Canned({"choices": [{"message": {"content": "Final Answer: Here."}, "finish_reason": "stop"}]})

    with house(tmp_path) as here, serve(hanging_first) as server:
        config = tmp_path / "react-engine.toml"
        config.write_text(config.read_text("utf-8").replace(here.server.url, server.url), "utf-8")
        with terminal("chat", "-q", *here.config, folder=tmp_path, env=PLAIN) as screen:
            screen.wait_for("> ")
            screen.type("Hang!\n")
            assert asked.wait(PATIENCE)
            screen.type("\x03")
            screen.wait_for("the conversation stands as before.")
            screen.wait_for("> ")
            screen.type("And now?\n")
            screen.wait_for("Here.\n")
            screen.wait_for("> ")
            screen.type("/quit\n")
            assert screen.end() == 0
        assert "Hang!" not in str(server.bodies[-1]["messages"])


def test_parse_colours_what_it_marks(tmp_path: Path) -> None:
    text = "Thought: x\nAction: calculator\nAction Input: {'expression': '1 + 1',}\nObservation: 2\n\x1b[31m"
    with terminal("parse", "--toolbox", "calculator", text, folder=tmp_path) as screen:
        assert screen.end() == 0
    plain = ESCAPE.sub("", screen.shown)
    assert "\x1b[1;36mAction: calculator\x1b[0m" in screen.shown
    assert "   2 │ Action: calculator\n     │ ~~~~~~~~~~~~~~~~~~ call 1: calculator (to 3:39)\n" in plain
    assert "   5 │ ␛[31m\n" in plain
    assert 'call 1: calculator {"expression": "1 + 1"}' in plain


@pytest.mark.parametrize("columns", [1, 20, 41])
def test_narrow_terminals_fold_the_text(columns: int, tmp_path: Path) -> None:
    with terminal("parse", "Final Answer: " + "ab 北京 " * 20, folder=tmp_path, columns=columns) as screen:
        assert screen.end() == 0
    rows = [row for row in ESCAPE.sub("", screen.shown).splitlines() if row[:7].endswith("│ ")]
    width = max(8, columns - 8)
    assert all(sum(2 if char in "北京" else 1 for char in row[7:]) <= width for row in rows)
    assert "".join(row[7:] for row in rows).startswith("Final Answer: ab 北京")


def test_reading_from_the_terminal_says_so(tmp_path: Path) -> None:
    with terminal("parse", folder=tmp_path, env=PLAIN) as screen:
        screen.wait_for("Type the model's reply; Ctrl-D on a line of its own ends it.\n")
        screen.type("Final Answer: 3\n\x04")
        assert screen.end() == 0
    assert "answer: 3\n" in ESCAPE.sub("", screen.shown)


def test_no_task_at_a_terminal_does_not_wait_for_one(tmp_path: Path) -> None:
    with terminal("run", folder=tmp_path, env=PLAIN) as screen:
        assert screen.end() == 2
    assert "There is no task" in screen.shown
