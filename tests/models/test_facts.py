"""What is remembered of models: kept, replaced, expired, and never a reason to fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path

import pytest

from react_engine.errors import ConfigurationError
from react_engine.models.facts import Fact, FactStore, FactsWarning

DAY = date(2030, 5, 1)


def store(path: Path, today: date = DAY) -> FactStore:
    return FactStore(path / "facts.json", today=lambda: today)


def test_a_fact_is_read_back_as_it_was(tmp_path: Path) -> None:
    store(tmp_path).remember("m", "reasoning", [["<a>", "</a>"]], "seen", source="probe", server="http://x")

    assert store(tmp_path).facts("m") == (
        Fact("reasoning", (("<a>", "</a>"),), "seen", "probe", "http://x", DAY, DAY + timedelta(days=30)),
    )
    assert str(store(tmp_path).facts("m")[0]) == "2030-05-01 at http://x: seen, until 2030-05-31"


def test_a_newer_fact_on_the_same_field_and_server_replaces_the_older(tmp_path: Path) -> None:
    facts = store(tmp_path)
    facts.remember("m", "stop_words", False, "first")
    facts.remember("m", "stop_words", False, "at x", server="http://x")
    facts.remember("m", "stop_words", True, "second", lifetime=None)

    assert [(fact.value, fact.reason, fact.expires) for fact in facts.facts("m")] == [
        (False, "at x", DAY + timedelta(days=30)),
        (True, "second", None),
    ]


def test_a_fact_expires(tmp_path: Path) -> None:
    store(tmp_path).remember("m", "chat", False, "seen", lifetime=timedelta(days=2))

    assert store(tmp_path, DAY + timedelta(days=2)).facts("m")
    assert store(tmp_path, DAY + timedelta(days=3)).facts("m") == ()


def test_one_model_or_all_can_be_forgotten(tmp_path: Path) -> None:
    facts = store(tmp_path)
    for name in ("a", "b", "c"):
        facts.remember(name, "chat", False, "seen")

    assert facts.forget("a") == 1
    assert facts.names() == ("b", "c")
    assert facts.forget() == 2
    assert facts.names() == ()


@pytest.mark.parametrize(("field", "value"), [("api_base", "http://evil"), ("chat", "perhaps"), ("nonsense", 1)])
def test_only_fields_that_can_be_learned_are_kept(tmp_path: Path, field: str, value: object) -> None:
    with pytest.raises(ConfigurationError, match=field):
        store(tmp_path).remember("m", field, value, "seen")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"version": 2, "models": {}}',
        '{"version": 1}',
        '{"version": 1, "models": []}',
        '{"version": 1, "models": {"m": [{"field": "api_base", "value": "http://evil", "source": "learned"}]}}',
        '{"version": 1, "models": {"m": [{"field": "chat", "value": 3, "source": "learned"}]}}',
        '{"version": 1, "models": {"m": 1}}',
        "[" * 100_000,
        "\x00",
    ],
)
def test_a_damaged_file_is_set_aside_with_a_warning(tmp_path: Path, text: str) -> None:
    facts = store(tmp_path)
    facts.path.write_text(text, encoding="utf-8")

    with pytest.warns(FactsWarning, match="damaged"):
        assert facts.facts("m") == ()
    assert (tmp_path / "facts.broken").read_text(encoding="utf-8") == text
    facts.remember("m", "chat", False, "seen")
    assert len(facts.facts("m")) == 1


def test_bytes_that_are_no_text_are_set_aside(tmp_path: Path) -> None:
    store(tmp_path).path.write_bytes(b"\xff\xfe{}")

    with pytest.warns(FactsWarning, match="damaged"):
        assert store(tmp_path).facts("m") == ()


def test_a_change_of_the_same_length_in_the_same_moment_is_seen(tmp_path: Path) -> None:
    ours, theirs = store(tmp_path), store(tmp_path)
    ours.remember("m", "chat", True, "first")
    assert [fact.reason for fact in ours.facts("m")] == ["first"]
    moment = ours.path.stat().st_mtime_ns
    theirs.remember("m", "chat", True, "other")
    os.utime(ours.path, ns=(moment, moment))
    assert [fact.reason for fact in ours.facts("m")] == ["other"]


def test_a_folder_that_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    facts = FactStore(tmp_path / "file" / "facts.json")

    with pytest.warns(FactsWarning, match="REACT_ENGINE_STATE_DIR"):
        facts.remember("m", "chat", False, "seen")


def test_changes_from_many_threads_and_processes_are_all_kept(tmp_path: Path) -> None:
    facts = store(tmp_path)
    code = (
        "import sys, pathlib; from react_engine.models.facts import FactStore\n"
        "for n in range(5): FactStore(pathlib.Path(sys.argv[1])).remember(f'process-{n}', 'chat', False, 'seen')"
    )
    other = subprocess.Popen([sys.executable, "-c", code, str(facts.path)])
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: facts.remember(f"thread-{n}", "chat", False, "seen"), range(10)))
    assert other.wait() == 0

    assert len(facts.names()) == 15
    assert json.loads(facts.path.read_text(encoding="utf-8"))["version"] == 1
    assert {path.name for path in tmp_path.iterdir()} == {"facts.json", "facts.lock"}
