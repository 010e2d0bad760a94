"""Real processes: pipes that close, interrupts, encodings, streams that are closed or full, and quick help."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from react_engine.cli import exit_codes
from tests.cli.driving import ADD, ANSWER, PATIENCE, Done, house, process, start
from tests.loopback import Canned, Request, chunks, only, serve, sse

HEAVY = ("litellm", "httpx", "pydantic", "jinja2", "regex", "rich", "jsonschema", "xllamacpp", "tenacity", "asyncio")
NOISE = '''
import os, subprocess, sys
from react_engine import tool

print("loading")

@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    print("printed")
    os.write(1, b"written\\n")
    subprocess.run([sys.executable, "-c", "print('by a child')"], check=True)
    return a + b
'''


@pytest.mark.parametrize(
    "command", ["", "run", "chat", "parse", "models", "models show", "tools", "init", "completion"]
)
def test_help_loads_nothing_heavy(command: str, tmp_path: Path) -> None:
    script = (
        f"from react_engine.cli import cli\ncode = cli.main([*{command.split()!r}, '--help'])\n"
        f"import sys\nprint(code, [name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == "0 []\n"
    assert done.stdout.startswith("Usage: ")


def test_what_tools_and_their_children_print_is_not_in_the_answer(tmp_path: Path) -> None:
    with house(tmp_path, ADD, ANSWER) as here:
        (tmp_path / "my_tools.py").write_text(NOISE, encoding="utf-8")
        done = process("run", *here.config, "1 + 2?", folder=tmp_path)
    assert (done.code, done.out) == (0, "It is 3.\n")
    for noise in ("loading", "printed", "written", "by a child"):
        assert f"{noise}\n" in done.err


def interrupted(*args: str, folder: Path, first: list[Canned]) -> Done:
    """What comes of a run that is interrupted while the server lets it wait for a reply."""
    asked = threading.Event()
    replies = iter(first)

    def handler(request: Request) -> Canned:
        reply = next(replies, None)
        if reply is None:
            asked.set()
            return only("hang")
        return reply

    with house(folder) as here, serve(handler) as server:
        config = Path(here.config[1])
        config.write_text(config.read_text("utf-8").replace(here.server.url, server.url), "utf-8")
        with start("run", *here.config, *args, folder=folder) as running:
            assert asked.wait(PATIENCE)
            running.send_signal(signal.SIGINT)
            out, err = running.communicate(timeout=PATIENCE)
    return Done(running.returncode, out.decode(), err.decode())


def test_an_interrupt_ends_with_130_and_the_steps_so_far(tmp_path: Path) -> None:
    done = interrupted("go", folder=tmp_path, first=[sse(chunks(ADD))])
    assert (done.code, done.out) == (exit_codes.INTERRUPTED, "")
    assert '→ add {"a": 1, "b": 2}' in done.err
    assert done.err.splitlines()[-1] == "Interrupted."
    assert "Traceback" not in done.err


def test_an_interrupted_run_can_be_had_as_json(tmp_path: Path) -> None:
    done = interrupted("--json", "-q", "go", folder=tmp_path, first=[sse(chunks(ADD))])
    run = json.loads(done.out)
    assert (done.code, run["end"], run["answer"]) == (exit_codes.INTERRUPTED, "cancelled", None)
    assert [result["text"] for step in run["steps"] for result in step["results"]] == ["3"]
    assert done.err == "add was called\nInterrupted.\n"


def test_an_interrupt_while_a_tool_hangs_ends_at_once(tmp_path: Path) -> None:
    with house(tmp_path, ADD) as here:
        (tmp_path / "my_tools.py").write_text(
            "import sys, threading\nfrom react_engine import tool\n\n@tool(timeout=None)\ndef add(a: int, b: int) -> int:\n"
            '    """Add."""\n    print("hanging", flush=True)\n    threading.Event().wait()\n    return 0\n',
            encoding="utf-8",
        )
        with start("run", "-q", *here.config, "go", folder=tmp_path) as running:
            assert running.stderr is not None
            assert running.stderr.readline() == b"hanging\n"
            running.send_signal(signal.SIGINT)
            _, err = running.communicate(timeout=PATIENCE)
    assert (running.returncode, err) == (exit_codes.INTERRUPTED, b"Interrupted.\n")


@pytest.fixture
def closed_pipe() -> Iterator[int]:
    """The end of a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


@pytest.mark.parametrize("args", [("parse", "Final Answer: 3"), ("--help",), ("run", "--help"), ("models", "list")])
def test_a_reader_that_has_gone_ends_the_command_quietly(
    args: tuple[str, ...], closed_pipe: int, tmp_path: Path
) -> None:
    with start(*args, folder=tmp_path, stdout=closed_pipe) as running:
        _, err = running.communicate(timeout=PATIENCE)
    assert (running.returncode, err) == (exit_codes.PIPE_CLOSED, b"")


def test_a_run_goes_on_when_nobody_reads_the_steps(closed_pipe: int, tmp_path: Path) -> None:
    with (
        house(tmp_path, ADD, ANSWER) as here,
        start("run", *here.config, "go", folder=tmp_path, stderr=closed_pipe) as running,
    ):
        out, _ = running.communicate(timeout=PATIENCE)
    assert (running.returncode, out) == (0, b"It is 3.\n")


def shell(line: str, *args: str, folder: Path) -> Done:
    """A command with the redirections of ``line``, in which ``"$@"`` stands for it."""
    done = subprocess.run(
        ["sh", "-c", line, "sh", sys.executable, "-m", "react_engine", *args],
        cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, check=False, start_new_session=True,
    )  # fmt: skip
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('"$@" >&-', Done(0, "", "")),
        ('"$@" 2>&-', Done(0, "It is 3.\n", "")),
        ('"$@" <&-', Done(0, "It is 3.\n", "")),
        ('"$@" <&- >&- 2>&-', Done(0, "", "")),
        ('"$@" >/dev/full', Done(1, "", "Error: [Errno 28] No space left on device\n")),
        ('"$@" 2>/dev/full', Done(0, "It is 3.\n", "")),
    ],
    ids=["stdout-closed", "stderr-closed", "stdin-closed", "all-closed", "stdout-full", "stderr-full"],
)
def test_streams_that_are_closed_or_full_are_no_traceback(line: str, expected: Done, tmp_path: Path) -> None:
    with house(tmp_path, ANSWER) as here:
        assert shell(line, "run", "-q", *here.config, "go", folder=tmp_path) == expected


def test_no_task_and_no_stdin_is_wrong_usage(tmp_path: Path) -> None:
    assert shell('"$@" <&-', "run", folder=tmp_path).code == exit_codes.USAGE
    assert shell('"$@" <&-', "parse", folder=tmp_path).code == exit_codes.UNREADABLE
    assert shell('"$@" <&-', "chat", "-m", "some", "--path", "prompt", folder=tmp_path).code == 0


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252"])
def test_an_encoding_that_lacks_signs_loses_none_of_the_answer(encoding: str, tmp_path: Path) -> None:
    env = {"PYTHONIOENCODING": encoding}
    with house(tmp_path, "Final Answer: Zürich → 北京") as here:
        plain, as_json = (
            process("run", "-q", *here.config, *args, "go", folder=tmp_path, env=env) for args in ((), ("--json",))
        )
    assert (plain.code, plain.err) == (0, "")
    assert "北京" in plain.out or "\\u5317\\u4eac" in plain.out
    assert as_json.data["answer"] == "Zürich → 北京"
    assert as_json.out.isascii()


def test_arguments_that_are_no_text_are_read_as_far_as_they_are(tmp_path: Path) -> None:
    with house(tmp_path, ANSWER) as here:
        done = process("run", "-q", *here.config, os.fsdecode(b"Z\xfcrich?"), folder=tmp_path)
        assert here.server.bodies[0]["messages"][-1]["content"] == "Z\ufffdrich?"
    assert (done.code, done.out) == (0, "It is 3.\n")
    assert "not all UTF-8" in done.err


def test_output_that_is_no_terminal_holds_no_escapes(tmp_path: Path) -> None:
    with house(tmp_path, ADD, ANSWER) as here:
        done = process("run", *here.config, "go", folder=tmp_path)
    shown = process("parse", "Action: add\nAction Input: {'a': 1}", folder=tmp_path)
    assert "\x1b" not in done.out + done.err + shown.out + shown.err
