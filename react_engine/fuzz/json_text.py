"""JSON as models write it: the valid form, and every way in which it goes wrong, as one set of habits."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


def quoted(text: str) -> str:
    """A valid JSON string; lone surrogates stay escapes, since no encoding carries them."""
    written = json.dumps(text, ensure_ascii=False)
    return json.dumps(text) if any("\ud800" <= char <= "\udfff" for char in text) else written


@dataclass(frozen=True, slots=True)
class JsonHabits:
    """How a model writes JSON. The defaults are valid and look like ``json.dumps``."""

    quote: Callable[[str], str] = quoted
    key: Callable[[str], str] | None = None
    number: Callable[[int | float], str] = json.dumps
    comma: str = ", "
    colon: str = ": "
    braces: tuple[str, str] = ("{", "}")
    brackets: tuple[str, str] = ("[", "]")
    words: tuple[str, str, str] = ("true", "false", "null")
    trailing: str = ""

    def write(self, value: Any) -> str:
        """A value as text."""
        if value is True or value is False or value is None:
            return self.words[2 if value is None else not value]
        if isinstance(value, str):
            return self.quote(value)
        if isinstance(value, (int, float)):
            return self.number(value)
        if isinstance(value, dict):
            key = self.key or self.quote
            parts = [f"{key(name)}{self.colon}{self.write(item)}" for name, item in value.items()]
            return self._joined(parts, *self.braces)
        return self._joined([self.write(item) for item in value], *self.brackets)

    def _joined(self, parts: list[str], opener: str, closer: str) -> str:
        return f"{opener}{self.comma.join(parts)}{self.trailing if parts else ''}{closer}"


VALID = JsonHabits()
COMPACT = JsonHabits(comma=",", colon=":")
WIDE = JsonHabits(comma=" , ", colon=" : ", braces=("{ ", " }"), brackets=("[ ", " ]"))
PYTHON = JsonHabits(quote=repr, number=repr, words=("True", "False", "None"))
"""A dict as Python prints it."""
