"""``react-engine compare``: rows, report, resuming, keeping the winner; against a real server."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from react_engine.cli import exit_codes
from react_engine.compare.records import RecordFile
from react_engine.models.facts import FactStore
from tests.cli.driving import Done, react_engine
from tests.loopback import HANG, Canned, Request, Server, completion, serve

SUITE = """
title = "small"
[[tools]]
name = "lookup"
description = "Look up a word."
parameters = { word = { type = "string" } }
results = [{ when = { word = "*" }, text = "a fruit" }]
[[tools]]
name = "spell"
description = "Spell a word."
parameters = { word = { type = "string" } }
results = [{ when = { word = "*" }, text = "a-b-c" }]
[[tasks]]
kind = "one"
items = [
  { ask = "What is an apple?", calls = [{ tool = "lookup", arguments = { word = "apple" } }], answer = ["fruit"] },
  { ask = "Spell pear.", calls = [{ tool = "spell", arguments = { word = "pear" } }] },
]
[[tasks]]
kind = "none"
items = [{ ask = "Hello." }]
"""
CALL = 'Thought: I look.\nAction: lookup\nAction Input: {"word": "apple"}'
ANSWER = "Thought: I know.\nFinal Answer: It is a fruit."


def good_by_prompt(request: Request) -> Canned:
    """A model that always looks up "apple" by prompt, and never calls natively."""
    body = request.json()
    asked = json.dumps(body["messages"][1:])
    if "tools" in body or "Hello" in asked or "Observation" in asked or "观察" in asked:
        return Canned({**completion("It is a fruit." if "tools" in body else ANSWER), "usage": {"prompt_tokens": 500}})
    return Canned(completion(CALL))


@contextmanager
def house(folder: Path, handler: Any = good_by_prompt) -> Iterator[Server]:
    (folder / "suite.toml").write_text(SUITE, encoding="utf-8")
    with serve(handler) as server:
        (folder / "react-engine.toml").write_text(
            f'[requests]\nretries = 0\n[models.served]\nclient = "http"\napi_base = "{server.url}"\n'
            'constraints = ["json_schema"]\n',
            encoding="utf-8",
        )
        yield server


def arguments(folder: Path, *more: str) -> tuple[str, ...]:
    return (
        "compare", "served", "--suite", str(folder / "suite.toml"), "--config", str(folder / "react-engine.toml"),
        "--out", str(folder / "out"), *more,
    )  # fmt: skip


def compare(folder: Path, *more: str) -> Done:
    return react_engine(*arguments(folder, *more))


def test_each_variant_has_a_row(tmp_path: Path) -> None:
    with house(tmp_path):
        done = compare(tmp_path, "--dialects", "react,react-zh,json", "--json")
    assert done.code == exit_codes.OK
    rows = json.loads(done.out)["rows"]
    names = [(row["variant"]["path"], row["variant"]["dialect"], row["variant"]["constraint"]) for row in rows]
    assert names == [
        ("native", "", False),
        ("prompt", "react", True),
        ("prompt", "react", False),
        ("prompt", "react-zh", True),
        ("prompt", "react-zh", False),
        ("prompt", "json", True),
    ]
    native, prompt = rows[0], rows[2]
    assert (native["done"], native["tool"], native["no_call"]) == (pytest.approx(1 / 3), 0.0, 1.0)
    assert (prompt["done"], prompt["tool"], prompt["arguments"]) == (pytest.approx(2 / 3), 0.5, 0.5)
    assert (prompt["repairs"], prompt["format_errors"]) == (0, 0)


def test_a_model_with_a_dialect_of_its_own_is_asked_in_it_and_in_react(tmp_path: Path) -> None:
    with house(tmp_path) as server:
        settings = tmp_path / "react-engine.toml"
        settings.write_text(settings.read_text(encoding="utf-8") + 'dialect = "hermes"\n', encoding="utf-8")
        done = compare(tmp_path, "--paths", "prompt", "--limit", "1", "--json")
        asked = [request.json() for request in server.requests]
    variants = [(row["variant"]["dialect"], row["variant"]["constraint"]) for row in json.loads(done.out)["rows"]]
    assert variants == [("react", True), ("react", False), ("hermes", False)]
    systems = [body["messages"][0]["content"] for body in asked]
    kinds = {("response_format" in body, "<tool_call>" in text) for body, text in zip(asked, systems, strict=True)}
    assert kinds == {(True, False), (False, False), (False, True)}


def test_a_model_whose_server_takes_no_constraint_is_compared_without(tmp_path: Path) -> None:
    with house(tmp_path):
        settings = tmp_path / "react-engine.toml"
        plain = settings.read_text("utf-8").replace('constraints = ["json_schema"]\n', "")
        settings.write_text(plain, encoding="utf-8")
        done = compare(tmp_path, "--limit", "1", "--json")
    variants = [(row["variant"]["dialect"], row["variant"]["constraint"]) for row in json.loads(done.out)["rows"]]
    assert variants == [("", False), ("react", False)]


def test_the_line_of_the_readme_runs(tmp_path: Path) -> None:
    line = re.search(
        r"^react-engine compare \S+ (--dialects \S+)",
        (Path(__file__).parents[2] / "README.md").read_text("utf-8"),
        re.MULTILINE,
    )
    assert line is not None
    with house(tmp_path):
        done = compare(tmp_path, "--limit", "1", *line[1].split(), "--json")
    variants = [(row["variant"]["dialect"], row["variant"]["constraint"]) for row in json.loads(done.out)["rows"]]
    assert variants == [("", False), ("react", True), ("react", False), ("hermes", False)]


def test_a_dialect_that_no_prompt_can_ask_for_is_told_with_those_that_can(tmp_path: Path) -> None:
    with house(tmp_path):
        done = compare(tmp_path, "--dialects", "react,harmony")
    assert done.code == exit_codes.CONFIGURATION
    assert "harmony" in done.err
    assert "hermes" in done.err


def test_the_report_is_one_page_with_tables_and_plots(tmp_path: Path) -> None:
    with house(tmp_path):
        done = compare(tmp_path, "--constraint", "off")
    assert "| native | 33% |" in done.out
    assert "| spell | lookup | 1 |" in done.out
    out = tmp_path / "out"
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "data:image/png;base64," in page
    assert 'src="http' not in page
    assert "Spell pear." in page
    assert (out / "done.png").read_bytes().startswith(b"\x89PNG")
    assert len(list(out.glob("confusion-*.png"))) == 2
    with (out / "report.csv").open(encoding="utf-8") as file:
        assert [row["variant"] for row in csv.DictReader(file)] == ["native", "react"]


def test_a_finished_comparison_asks_nothing_again(tmp_path: Path) -> None:
    with house(tmp_path) as server:
        first = compare(tmp_path)
        asked = len(server.requests)
        assert compare(tmp_path).out == first.out
        assert len(server.requests) == asked


def test_replies_are_kept_so_that_scoring_anew_asks_nothing(tmp_path: Path) -> None:
    with house(tmp_path) as server:
        first = compare(tmp_path, "--json")
        asked = len(server.requests)
        (tmp_path / "out" / "tasks.jsonl").unlink()
        again = compare(tmp_path, "--json")
        assert len(server.requests) == asked
    assert json.loads(again.out)["rows"] == json.loads(first.out)["rows"]


def test_a_killed_comparison_loses_at_most_the_task_that_ran(tmp_path: Path) -> None:
    hanging = Event()

    def third_hangs(request: Request) -> Canned:
        if "pear" in request.body.decode("unicode_escape") and not hanging.is_set():
            hanging.set()
            return Canned([HANG])
        return good_by_prompt(request)

    with house(tmp_path, third_hangs):
        command = [
            sys.executable,
            "-m",
            "react_engine",
            *arguments(tmp_path, "--paths", "prompt", "--constraint", "off"),
        ]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
            assert hanging.wait(60)
            running.kill()
    records = RecordFile(tmp_path / "out" / "tasks.jsonl")
    assert [record.ask for record in records.read()] == ["What is an apple?"]
    with house(tmp_path) as server:
        done = compare(tmp_path, "--paths", "prompt", "--constraint", "off", "--json")
    assert json.loads(done.out)["rows"][0]["tasks"] == 3
    assert not any("What is an apple?" in request.body.decode() for request in server.requests)


def test_a_line_that_was_cut_off_is_run_again_and_harms_no_other(tmp_path: Path) -> None:
    with house(tmp_path):
        first = compare(tmp_path)
        file = tmp_path / "out" / "tasks.jsonl"
        file.write_bytes(file.read_bytes()[:-40])
        assert compare(tmp_path).out == first.out
    assert len(RecordFile(file).read()) == 9


def test_the_winner_goes_into_the_table(tmp_path: Path) -> None:
    with house(tmp_path) as server:
        done = compare(tmp_path, "--constraint", "off", "--write")
    assert "served: react did best" in done.out
    facts = {fact.field: (fact.value, fact.source, fact.server) for fact in FactStore().facts("served")}
    assert facts == {
        "function_calling": (False, "probe", server.url),
        "dialect": ("react", "probe", server.url),
        "constraint": ("off", "probe", server.url),
    }


def test_a_limit_takes_tasks_from_all_over_the_suite(tmp_path: Path) -> None:
    with house(tmp_path):
        done = compare(tmp_path, "--limit", "2", "--paths", "prompt", "--constraint", "off", "--json")
    assert json.loads(done.out)["rows"][0]["tasks"] == 2


def test_several_jobs_give_the_same_rows(tmp_path: Path) -> None:
    with house(tmp_path):
        one = json.loads(compare(tmp_path, "--json").out)["rows"]
        (tmp_path / "out" / "tasks.jsonl").unlink()
        several = json.loads(compare(tmp_path, "--json", "--jobs", "4").out)["rows"]
    assert several == one


def test_a_server_that_is_gone_ends_it_and_keeps_what_was_finished(tmp_path: Path) -> None:
    with house(tmp_path):
        compare(tmp_path, "--limit", "1", "--paths", "prompt", "--constraint", "off")
    done = compare(tmp_path, "--paths", "prompt", "--constraint", "off")
    assert done.code == exit_codes.MODEL
    assert len(RecordFile(tmp_path / "out" / "tasks.jsonl").read()) == 1


@pytest.mark.parametrize(
    ("more", "code", "says"),
    [
        (("--paths", "nativ"), exit_codes.USAGE, "expected some of native, prompt"),
        (("--dialects", "reakt"), exit_codes.CONFIGURATION, "react-zh"),
        (("--dialects", "json", "--paths", "prompt", "--constraint", "off"), exit_codes.USAGE, "json needs"),
        (("--suite", "none.toml"), exit_codes.CONFIGURATION, "cannot be read"),
    ],
)
def test_mistakes_are_told(more: tuple[str, ...], code: int, says: str, tmp_path: Path) -> None:
    with house(tmp_path):
        done = compare(tmp_path, *more)
    assert (done.code, says in done.err) == (code, True)


def test_a_finished_task_counts_only_as_long_as_it_would_be_asked_the_same(tmp_path: Path) -> None:
    with house(tmp_path) as server:
        only = ("--paths", "prompt", "--constraint", "off")
        compare(tmp_path, *only)
        settings, suite = tmp_path / "react-engine.toml", tmp_path / "suite.toml"
        asked = len(server.requests)
        own = tmp_path / "templates"
        own.mkdir()
        (own / "react.en.j2").write_text("MINE {{ tools }} {% include 'default/react.en.j2' %}", encoding="utf-8")
        settings.write_text(f"[templates]\nfolder = {str(own)!r}\n{settings.read_text('utf-8')}", encoding="utf-8")
        compare(tmp_path, *only)
        changed = server.requests[asked:]
        assert changed
        assert all("MINE" in request.json()["messages"][0]["content"] for request in changed)
        suite.write_text(suite.read_text("utf-8").replace('answer = ["fruit"]', 'answer = ["stone"]'), encoding="utf-8")
        asked = len(server.requests)
        rows = json.loads(compare(tmp_path, *only, "--json").out)["rows"]
        assert len(server.requests) == asked  # scored anew from the replies that were kept
    assert rows[0]["done"] == pytest.approx(1 / 3)


def test_requests_are_made_as_the_settings_say(tmp_path: Path) -> None:
    tries = []

    def fails_once(request: Request) -> Canned:
        tries.append(request)
        return Canned({"error": {"message": "later"}}, status=503) if len(tries) == 1 else good_by_prompt(request)

    with house(tmp_path, fails_once):
        settings = tmp_path / "react-engine.toml"
        settings.write_text(settings.read_text("utf-8").replace("retries = 0", "retries = 1"), encoding="utf-8")
        assert compare(tmp_path, "--limit", "1", "--constraint", "off").code == exit_codes.OK
    assert tries[0].body == tries[1].body


def test_names_with_signs_stay_as_they_are_in_tables_and_plots(tmp_path: Path) -> None:
    from react_engine.compare.plots import bars, confusion_matrix
    from react_engine.compare.records import Record
    from react_engine.compare.summary import rows
    from react_engine.compare.tables import markdown

    record = Record(
        "a$b_{|c", "prompt", "react", False, True, "$x^", "one", "Ask.", "answered", "Yes.",
        ({"name": "price$|tax", "arguments": {}},), ("cost_{$",), True, True, True, 0, 1, 0, False, 0, False, "",
        9, 9, 1.0, None,
    )  # fmt: skip
    assert bars(rows([record])).startswith(b"\x89PNG")
    assert confusion_matrix([record], "$x^").startswith(b"\x89PNG")
    assert "| cost_{$ | price$\\|tax | 1 |" in markdown(rows([record]), [record])
