"""``react-engine fuzz`` as people use it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from react_engine.fuzz.cases import Case, make_case
from react_engine.fuzz.judge import Outcome, Read
from react_engine.fuzz.meaning import Call, Survival
from react_engine.fuzz.report import page
from react_engine.fuzz.run import Plan
from react_engine.fuzz.summary import Results
from react_engine.fuzz.tally import Tally
from tests.cli.driving import react_engine

GOOD = "def parse(text, tools):\n    return [{'name': 'f', 'arguments': {}}]\n"


def saved(path: Path, *lines: object) -> str:
    """A JSONL file."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def test_figures_as_json_depend_on_the_seed_alone(tmp_path: Path) -> None:
    run = ("fuzz", "--n", "60", "--jobs", "1", "--dialect", "hermes", "--json", "--save", str(tmp_path / "f.jsonl"))
    first, again = react_engine(*run), react_engine(*run)
    assert first.data["replies"] == 60
    assert list(first.data["by_dialect"]) == ["hermes"]
    assert first.data["by_kind"] == again.data["by_kind"]


def test_a_parser_of_ones_own_fails_and_its_failures_are_replayed(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(GOOD, encoding="utf-8")
    spec, file = f"{tmp_path / 'mine.py'}:parse", str(tmp_path / "failures.jsonl")
    done = react_engine("fuzz", "--n", "40", "--jobs", "1", "--parser", spec, "--save", file)
    assert done.code == 13
    assert "recovered" in done.out
    again = react_engine("fuzz", "--replay", file, "--parser", spec, "--json", "--save", str(tmp_path / "again.jsonl"))
    assert again.code == 13
    assert again.data["replies"] == len(Path(file).read_text("utf-8").splitlines())
    assert again.data["wrong"] + again.data["invented"] + again.data["crash"] > 0


def test_recorded_replies_are_checked_and_those_with_a_truth_are_judged(tmp_path: Path) -> None:
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}]
    call = 'Action: f\nAction Input: {"a": 1}'
    right = {"text": call, "tools": tools, "expect": {"calls": [{"name": "f", "arguments": {"a": 1}}]}}
    wrong = {"text": call, "tools": tools, "expect": {"calls": [{"name": "f", "arguments": {"a": 2}}]}}
    good = react_engine("fuzz", "--corpus", saved(tmp_path / "a.jsonl", "any text {", {"text": call}, right), "--json")
    assert (good.code, good.data["unknown"], good.data["recovered"]) == (0, 2, 1)
    bad = react_engine("fuzz", "--corpus", saved(tmp_path / "b.jsonl", wrong), "--json", "--save", str(tmp_path / "s"))
    assert (bad.code, bad.data["wrong"]) == (13, 1)


def test_too_little_recovered_is_a_failure_where_a_least_is_given(tmp_path: Path) -> None:
    (tmp_path / "none.py").write_text("def parse(text, tools):\n    return []\n", encoding="utf-8")
    run = (
        "fuzz",
        "--n",
        "30",
        "--jobs",
        "1",
        "--parser",
        f"{tmp_path / 'none.py'}:parse",
        "--save",
        str(tmp_path / "f"),
    )
    assert react_engine(*run).code == 0
    assert react_engine(*run, "--least", "97").code == 13


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--n", "0"), 2, "--n"),
        (("--time", "0"), 2, "--time"),
        (("--dialect", "hermess"), 2, "Did you mean hermes"),
        (("--mutator", "no-such-thing-at-all"), 2, "See --list"),
        (("--parser", "nonsense"), 3, "module:function"),
        (("--against", "dspy"), 3, "Known: langchain"),
        (("--corpus", "a", "--replay", "b"), 2, "not both"),
        (("--corpus", "no/such/file.jsonl"), 2, "no/such/file.jsonl"),
    ],
)
def test_mistakes_are_told(arguments: tuple[str, ...], code: int, said: str) -> None:
    done = react_engine("fuzz", *arguments)
    assert said in done.err
    assert done.code == code


@pytest.mark.parametrize("line", ["{", "3", '{"no": "text"}', '{"text": "x", "expect": {"calls": [{}]}}'])
def test_a_line_that_is_no_reply_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(f'"good"\n{line}\n', encoding="utf-8")
    done = react_engine("fuzz", "--corpus", str(file))
    assert done.code == 3
    assert "line 2" in done.err


def test_the_list_names_what_can_be_damaged() -> None:
    done = react_engine("fuzz", "--list")
    assert "python-literals" in done.out
    assert "sample-call-not-meant" in done.out
    assert len(done.out.splitlines()) > 150


def results() -> Results:
    """A small run with every kind of failure, of hostile text."""
    tally = Tally()
    for number in range(40):
        case = make_case(1, number)
        tally.add(case, Read(case.calls, seconds=1e-4), Outcome.RIGHT)
    text = "</script><img src=x onerror=alert(1)>\ud800\x00"
    hostile = Case("x", text, [], "hermes", ("a<b>",), survival=Survival.REFUSE)
    tally.add(hostile, Read((Call("f", {"a": text}),), seconds=0.5), Outcome.INVENTED)
    return Results(Plan(), tally, 1.0, title="mine <b>")


def test_the_report_is_one_page_that_needs_nothing_else() -> None:
    text = page(results())
    assert (
        re.findall(
            r"""(?:src|href|xlink:href)\s*=\s*["'](?!#|data:)""", re.sub(r"<pre>.*?</pre>", "", text, flags=re.DOTALL)
        )
        == []
    )
    assert "<script" not in text
    assert "<img" not in text
    assert "@import" not in text
    assert "url(http" not in text
    assert text.count("<svg") == text.count("</svg>") == 2
    assert text.encode("utf-8")
    assert "a&lt;b&gt;" in text


def test_the_report_is_written_by_the_command(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    react_engine(
        "fuzz", "--n", "30", "--jobs", "1", "--dialect", "react", "--report", str(file), "--save", str(tmp_path / "f")
    )
    assert "Dialect × mutator" in file.read_text("utf-8")
