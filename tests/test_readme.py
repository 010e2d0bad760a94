"""What the README says runs as it says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from react_engine import Engine, ScriptedModel
from react_engine.models.profile import ModelProfile

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The code blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_it_stays_short_and_shows_an_example_early() -> None:
    lines = README.splitlines()
    assert len(lines) < 150
    assert next(number for number, line in enumerate(lines) if "react-engine run" in line) < 35


def test_the_reader_example_gives_what_it_shows() -> None:
    (example,) = (block for block in blocks("python") if ">>>" in block)
    test = doctest.DocTestParser().get_doctest(example, {}, "README", "README.md", 0)
    result = doctest.DocTestRunner(verbose=False).run(test)
    assert (result.failed, result.attempted) == (0, 6)


def test_the_python_example_is_the_file_in_examples() -> None:
    (shown,) = (block for block in blocks("python") if "@tool" in block)
    example = (ROOT / "examples" / "weather.py").read_text(encoding="utf-8")
    tool_source = shown[shown.index("@tool") : shown.index("engine = ")].strip()
    assert tool_source in example
    assert all(line.strip() in example for line in shown.splitlines() if line.startswith(("engine", "run")))


def test_the_python_example_runs() -> None:
    (shown,) = (block for block in blocks("python") if "@tool" in block)
    scope: dict[str, object] = {}
    exec(shown[: shown.index("engine = ")], scope)
    replies = ['Action: get_weather\nAction Input: {"city": "Oslo"}', "Final Answer: Clear, 4 °C."]
    engine = Engine(ScriptedModel(replies, profile=ModelProfile("s", function_calling=False)), [scope["get_weather"]])  # type: ignore[list-item]
    assert engine.run("What will the weather in Oslo be tomorrow?").answer == "Clear, 4 °C."


def test_files_that_it_links_are_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
