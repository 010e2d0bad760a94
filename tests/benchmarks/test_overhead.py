"""The benchmark of the engine's own cost: it runs, and its server is no different for any client."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from benchmarks.canned_connection import ROOT
from benchmarks.canned_server import ANSWER, MODEL, TASK, TOOL, WORDS, reply_to
from benchmarks.overhead import STARTS, chosen


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The benchmark, small and without other libraries."""
    command = [sys.executable, "-m", "benchmarks.overhead", "--runs", "1", "--peers", "none", "--at-once", "2"]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, cwd=ROOT, check=False)


def test_every_contender_has_a_row_and_every_start_a_line() -> None:
    done = run("--only", "http")
    assert done.returncode == 0, done.stderr
    rows = [row.label for row in chosen("none", "http")]
    assert len(rows) == 11
    for name in (*rows, *STARTS):
        assert sum(line.strip().startswith(f"{name}  ") for line in done.stdout.splitlines()) == 1
    assert "failed" not in done.stdout


def test_the_json_has_every_round_and_what_the_engine_adds() -> None:
    done = run("--only", "http prompt", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert set(told["contenders"]) == {row.key for row in chosen("none", "http prompt")}
    engine = told["contenders"]["engine http prompt"]
    assert (len(engine["alone"]), len(engine["at_once"]), len(engine["adds"])) == (1, 1, 2)
    assert told["contenders"]["http prompt"]["adds"] is None
    assert told["failures"] == {}


@pytest.mark.parametrize("wrong", [["--runs", "0"], ["--peers", "nobody"], ["--only", "nothing like it"]])
def test_what_cannot_be_measured_is_refused(wrong: list[str]) -> None:
    done = run(*wrong)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert wrong[1] in done.stderr


def asked(said: str, **more: Any) -> bytes:
    """What a client sends when the history holds ``said``."""
    return json.dumps({"model": MODEL, "messages": [{"role": "user", "content": TASK + said}], **more}).encode()


def body(pieces: list[bytes]) -> Any:
    """The JSON of a reply that comes at once."""
    return json.loads(b"".join(pieces).partition(b"\r\n\r\n")[2])["choices"][0]["message"]


@pytest.mark.parametrize("step", range(len(WORDS)))
def test_the_next_reply_follows_from_the_words_in_the_history(step: int) -> None:
    said = " ".join(WORDS[:step])
    (call,) = body(reply_to(asked(said, tools=[{}])))["tool_calls"]
    assert call["function"] == {"name": TOOL, "arguments": json.dumps({"word": WORDS[step]})}
    assert body(reply_to(asked(said)))["content"].endswith(f'Action Input: {{"word": "{WORDS[step]}"}}')


def test_the_answer_comes_last_and_in_pieces_if_asked() -> None:
    said = " ".join(WORDS)
    assert body(reply_to(asked(said, tools=[{}])))["content"] == ANSWER
    _, *chunks, _ = reply_to(asked(said, tools=[{}], stream=True))
    events = [chunk.split(b"data: ")[1].strip() for chunk in chunks]
    assert events[-1] == b"[DONE]"
    deltas = [json.loads(event)["choices"][0]["delta"] for event in events[:-1]]
    assert "".join(delta.get("content", "") for delta in deltas) == ANSWER
