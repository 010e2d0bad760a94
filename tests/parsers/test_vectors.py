"""Every trained form is read exactly, whether the dialect is told or not."""

from __future__ import annotations

import re

import pytest

import react_engine
from react_engine.parsers.dialects import DIALECTS
from react_engine.parsers.stream import Reader
from tests.parsers.test_cases import calls_of, same_calls
from tests.parsers.vectors import VECTORS, Vector

every_vector = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.id)


def folded(text: str | None) -> str:
    """The text with each run of blanks as one."""
    return re.sub(r"\s+", " ", text or "").strip()


@pytest.mark.parametrize("told", [False, True], ids=["auto", "told"])
@every_vector
def test_form_is_read_as_it_was_trained(vector: Vector, told: bool) -> None:
    reading = react_engine.read(vector.text, vector.tools, dialect=vector.dialect if told else "auto")
    assert same_calls(calls_of(reading), vector.calls), reading
    assert folded(reading.text) == folded(vector.content)
    assert folded(reading.reasoning) == folded(vector.reasoning)


@every_vector
def test_single_characters_give_the_same_reading(vector: Vector) -> None:
    reader = Reader(vector.tools)
    for char in vector.text:
        reader.feed(char)
    assert reader.close() == react_engine.read(vector.text, vector.tools)


def test_every_dialect_has_its_forms() -> None:
    spoken = {vector.dialect for vector in VECTORS}
    assert spoken <= DIALECTS.keys()
    assert len(spoken) >= 70
