"""The words of labels: what the pattern finds, the table knows."""

from __future__ import annotations

import pytest

from react_engine import read
from react_engine.labels import FIELDS, field_of
from react_engine.parsers.labels import find_labels

LOOKALIKES = {"s": "ſ", "i": "ıİ", "k": "\u212a", "å": "\u212b", "ß": "ẞ", "σ": "ς"}
"""Letters that a pattern takes for one another where case does not count."""


def written(word: str) -> list[str]:
    """A word of a label as models write it: in any case, with other letters for its own, with anything in its gaps."""
    cased = [word, word.upper(), word.title(), word.casefold()]
    cased += [word.replace(letter, other) for letter, others in LOOKALIKES.items() for other in others]
    return [form.replace(" ", gap) for form in cased for gap in (" ", "", "_", "-", "\\_", " 1 ")]


@pytest.mark.parametrize("word", FIELDS)
def test_a_label_that_is_found_has_a_field(word: str) -> None:
    for form in written(word):
        for label in find_labels(f"{form}: x", 0, len(form) + 3):
            assert label.field is field_of(label.word)


@pytest.mark.parametrize("text", ["EndgültigeAntwort:", "toolcall= ", "<toolcall>:", "ObservatİOn:", "Obſervation:"])
def test_labels_without_their_gaps_or_in_other_letters_are_read_like_any(text: str) -> None:
    assert read(text).calls == ()
