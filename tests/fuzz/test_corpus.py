"""What coverage-guided fuzzing found, read again at every split."""

from __future__ import annotations

from pathlib import Path

import pytest

from react_engine.fuzz.cases import Case
from react_engine.fuzz.contract import split_anywhere
from react_engine.fuzz.growth import TOOLS
from react_engine.fuzz.parsers import own
from react_engine.parsers.index import ToolIndex

FILES = sorted((Path(__file__).parents[2] / "benchmarks" / "fuzz_corpus").iterdir())
INDEX = ToolIndex(TOOLS)


@pytest.mark.parametrize("part", range(10))
def test_kept_inputs_keep_the_contract(part: int) -> None:
    for file in FILES[part::10]:
        text = file.read_bytes().decode("utf-8", "surrogateescape")
        read = own(Case(file.name, text, TOOLS), streamed=1)
        assert (read.error, read.violation) == ("", ""), file.name


@pytest.mark.parametrize("file", FILES[::12], ids=lambda file: file.name)
def test_a_split_at_any_place_changes_nothing(file: Path) -> None:
    text = file.read_bytes().decode("utf-8", "surrogateescape")[:120]
    assert split_anywhere(text, INDEX) == ""
