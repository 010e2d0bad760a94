"""Ways to write values: what stands around strings, between members, and for true, false and null."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from react_engine.constraints.free_text import quoted_character, raw_character
from react_engine.constraints.grammar import Rule, Rules, literal, none_of, repeated
from react_engine.parsers.dialects import Dialect, Writing
from react_engine.templates.notation import python_literal

_NOT_IN_NAMES = "\"'`“”‘’„«»「」＂\\{}｛[]()<>:：,，;=|｜✿◁"
"""Quotes and signs of structure."""


@dataclass(frozen=True, slots=True)
class Notation:
    """A way to write values.

    ``quote`` stands around strings, ``character`` is a rule for one of their characters. ``written`` writes a value that is
    known; ``key`` the name of a member with what stands behind it, ``any_key`` is a rule for any such name.
    """

    quote: str
    character: Callable[[Rules], Rule]
    written: Callable[[Any], str]
    comma: str = ", "
    colon: str = ": "
    bare_keys: bool = False

    def constant(self, value: Any) -> Rule:
        """Exactly this value."""
        return literal(self.written(value))

    def key(self, name: str) -> Rule:
        """The name of a member, and what stands behind it."""
        return literal((name if self.bare_keys else self.written(name)) + self.colon)

    def any_key(self, rules: Rules) -> Rule:
        """Any name of a member, in words, and what stands behind it."""
        if self.bare_keys:
            name = "[a-zA-Z_] [a-zA-Z0-9_]{0,39}"
        else:
            name = f"{literal(self.quote)} {repeated(none_of(_NOT_IN_NAMES), 1, 60)} {literal(self.quote)}"
        return rules.rule("key", f"{name} {literal(self.colon)}")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


_JSON_ESCAPE = r'"\\" ["\\/bfnrt]'
JSON = Notation('"', lambda rules: quoted_character(rules, '"', _JSON_ESCAPE), _json)
JSON_IN_TAGS = Notation('"', lambda rules: quoted_character(rules, '"', _JSON_ESCAPE, None), _json)
"""JSON where a tag ends a value, whatever stands around that tag."""


def python_notation(dialect: Dialect, writing: Writing) -> Notation:
    """Python's literals, with the quotes of a dialect and its words for true, false and null."""
    quote = writing.quote

    def character(rules: Rules) -> Rule:
        return quoted_character(rules, quote, rf'"\\" [{quote}\\nrt]', (*dialect.openers, *dialect.closers))

    return Notation(quote, character, lambda value: python_literal(value, quote, writing.literals))


def token_notation(quote: str) -> Notation:
    """Objects with bare names, whose strings stand between tokens; nothing in them is escaped."""

    def written(value: Any) -> str:
        if isinstance(value, str):
            return f"{quote}{value}{quote}"
        if isinstance(value, dict):
            return "{" + ",".join(f"{key}:{written(item)}" for key, item in value.items()) + "}"
        if isinstance(value, list | tuple):
            return f"[{','.join(map(written, value))}]"
        return _json(value)

    return Notation(quote, raw_character, written, comma=",", colon=":", bare_keys=True)
