"""A grammar as values, and as GBNF: the form that llama.cpp, xgrammar and llguidance take.

Only what the step frames need: literal text, characters of a class, sequences, choices, and named rules. The rules
are collected by ``Rules``; each is written once, however often it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from react_engine.parsers.dialects.writing import pieces

Rule = str
"""The right side of a rule in GBNF: an expression that can stand in a sequence or a choice."""

CONTROL = r"\x00-\x1f\x7f"
"""What stands in no text, inside a class; line breaks are allowed beside it where they may be."""
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def literal(text: str) -> Rule:
    """Exactly this text."""
    written = "".join(_ESCAPES.get(char) or _code(char) for char in text)
    return f'"{written}"'


def _code(char: str) -> str:
    return char if char.isprintable() and char.isascii() else f"\\U{ord(char):08x}" if ord(char) < 32 else char


def none_of(chars: Iterable[str]) -> Rule:
    """One character that is none of these, and no control character."""
    return f"[^{CONTROL}{''.join(map(_in_class, sorted(set(chars))))}]"


def one_of(chars: str) -> Rule:
    """One of these characters."""
    return f"[{''.join(map(_in_class, chars))}]"


def _in_class(char: str) -> str:
    return f"\\x{ord(char):02x}" if ord(char) < 128 and not char.isalnum() else char


def filled(pattern: str, values: Mapping[str, Rule]) -> Rule:
    """A pattern of a dialect's writing as a rule, with rules for its ``$words``."""
    return sequence(values[part] if is_word else literal(part) for part, is_word in pieces(pattern) if part)


def sequence(parts: Iterable[Rule]) -> Rule:
    """One after the other."""
    return " ".join(part for part in parts if part)


def choice(parts: Iterable[Rule]) -> Rule:
    """One of these."""
    distinct = list(dict.fromkeys(parts))
    return distinct[0] if len(distinct) == 1 else f"({' | '.join(distinct)})"


def optional(part: Rule) -> Rule:
    """This, or nothing."""
    return f"({part})?"


def repeated(part: Rule, least: int, most: int | None = None) -> Rule:
    """This, so many times; without ``most`` there is no end to it."""
    upper = "" if most is None else str(most)
    return f"{part}{{{least},{upper}}}" if part.startswith("[") else f"({part}){{{least},{upper}}}"


class Rules:
    """Named rules. ``rule`` gives the name to write in place of a rule's body."""

    def __init__(self) -> None:
        self._bodies: dict[str, Rule] = {}
        self._names: dict[Rule, str] = {}

    def rule(self, stem: str, body: Rule) -> Rule:
        """The name of a rule with this body: an old one if there is one."""
        if body not in self._names:
            self._names[body] = self._free(stem)
            self._bodies[self._names[body]] = body
        return self._names[body]

    def recursive(self, stem: str, make: Callable[[Rule], Rule]) -> Rule:
        """The name of a rule whose body, made from that name, may hold it."""
        name = self._free(stem)
        self._bodies[name] = ""  # taken while the body is made
        self._bodies[name] = make(name)
        return name

    def text(self, root: Rule) -> str:
        """The grammar in GBNF, beginning with ``root``."""
        return "\n".join([f"root ::= {root}", *(f"{name} ::= {body}" for name, body in self._bodies.items())]) + "\n"

    def _free(self, stem: str) -> str:
        plain = "".join(char if char.isascii() and char.isalnum() else "-" for char in stem.lower()).strip("-") or "r"
        name, number = f"x-{plain[:30]}", 1
        while name in self._bodies:
            number += 1
            name = f"x-{plain[:30]}-{number}"
        return name
