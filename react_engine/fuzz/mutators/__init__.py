"""Named mutators, by what they damage. Importing this package registers all of them."""

from __future__ import annotations

from react_engine.fuzz.draft import MUTATORS, Mutator
from react_engine.fuzz.mutators import (
    contents,
    everyday,
    json_habits,
    json_shapes,
    label_habits,
    markup,
    names,
    noise,
    refusals,
    surroundings,
    thinking,
)

__all__ = [
    "MUTATORS", "Mutator", "contents", "everyday", "json_habits", "json_shapes", "label_habits", "markup", "names", "noise",
    "refusals", "surroundings", "thinking",
]  # fmt: skip
