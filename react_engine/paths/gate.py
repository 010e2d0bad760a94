"""Call or not: how near a model is to answering without a tool, read from the log-probabilities of one token.

Small models call a tool although none fits, and the step that they write hides how near the decision was. So the
thought is begun for them in the words of the prompt's examples ("Known: nothing. Next:"), and the likely next words are
looked at: how likely "answer" is, tells. The word is often a rare one: what counts is the order of magnitude.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from react_engine.models.profile import ModelProfile

Verdict = Literal["answer", "call", "open"]
_USUAL = 20
"""What OpenAI's API gives at most."""
_MANY = 1000
"""llama.cpp gives as many as it is asked for; 1.5 billion parameters are sure enough to need them."""


def alternatives_wanted(profile: ModelProfile) -> int:
    """How many alternatives of the token to ask for."""
    return _MANY if "gbnf" in profile.constraints else _USUAL


def answer_chance(alternatives: Sequence[tuple[str, float]], word: str) -> float | None:
    """The probability of the word that stands for an answer, or of its beginning; None without tokens."""
    if not alternatives:
        return None
    return min(1.0, sum(math.exp(min(0.0, chance)) for token, chance in alternatives if _begins(word, token)))


def verdict(chance: float, gate: tuple[float, float]) -> Verdict:
    """What a chance of an answer means: below the first bound call, from the second on answer, else nothing."""
    call_below, answer_from = gate
    if chance >= answer_from:
        return "answer"
    return "call" if chance < call_below else "open"


def _begins(word: str, token: str) -> bool:
    plain = token.strip().casefold()
    return bool(plain) and (word.startswith(plain) or plain.startswith(word))
