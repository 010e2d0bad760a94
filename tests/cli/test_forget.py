"""``react-engine models forget`` and what ``models show`` says of learned facts."""

from __future__ import annotations

from react_engine.cli import exit_codes
from react_engine.folders import state_folder
from react_engine.models.facts import FactStore
from tests.cli.driving import react_engine


def test_a_learned_fact_is_shown_with_date_and_reason_and_can_be_forgotten() -> None:
    FactStore().remember("ollama/odd", "stop_words", False, "the server refused stop, and did without")
    shown = react_engine("models", "show", "ollama/odd").out
    assert "the server refused stop, and did without, until " in shown
    done = react_engine("models", "forget", "ollama/odd")
    assert (done.code, done.out) == (exit_codes.OK, "1 fact forgotten.\n")
    assert "did without" not in react_engine("models", "show", "ollama/odd").out


def test_all_is_forgotten_only_when_asked_for() -> None:
    for name in ("a", "b"):
        FactStore().remember(name, "chat", False, "seen")
    assert react_engine("models", "forget").code == exit_codes.USAGE
    assert react_engine("models", "forget", "a", "--all").code == exit_codes.USAGE
    assert react_engine("models", "forget", "--all").out == "2 facts forgotten.\n"
    assert FactStore().names() == ()


def test_a_name_of_which_nothing_is_known_is_answered_with_those_that_are() -> None:
    FactStore().remember("known", "chat", False, "seen")
    done = react_engine("models", "forget", "unknown")
    assert (done.out, "known" in done.err) == ("0 facts forgotten.\n", True)


def test_a_damaged_table_is_told_in_words() -> None:
    state_folder().mkdir(parents=True, exist_ok=True)
    (state_folder() / "models.json").write_text("{ no json", encoding="utf-8")
    done = react_engine("models", "show", "ollama/odd")
    assert done.code == exit_codes.OK
    assert done.err.startswith("Warning: ")
    assert "set aside as models.broken" in done.err
    assert "facts.py" not in done.err
