"""What is wrong with arguments, in one form and in words that a model can act on."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from react_engine.shapes import Mismatch
from react_engine.tools.tool import Tool
from react_engine.types import Problem

Path = tuple[str | int, ...]
_MAX_PROBLEMS = 10
MAX_ERRORS = 50
"""Errors of a validator that are looked at: a wrong list has one for each item."""
EXAMPLES = {
    "integer": "a whole number without quotes, such as 3",
    "number": "a number without quotes, such as 2.5",
    "boolean": "true or false, without quotes",
    "string": "text in double quotes",
    "array": 'a JSON array, such as ["a", "b"]',
    "object": 'a JSON object, such as {"key": "value"}',
}
FORMATS = {
    "date": "a date as YYYY-MM-DD",
    "date-time": "date and time as YYYY-MM-DDTHH:MM:SS, with Z or an offset",
    "time": "a time as HH:MM:SS",
    "duration": "a duration in ISO 8601, such as PT1H30M",
    "email": "an e-mail address",
    "uuid": "a UUID",
    "uri": "a full address, such as https://example.org/page",
    "ipv4": "an IPv4 address",
    "ipv6": "an IPv6 address",
    "hostname": "a host name",
}


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing that is wrong: where (empty for the arguments as a whole), what, and what to write instead."""

    code: str
    path: Path
    text: str
    hint: str = ""


def place(path: Path) -> str:
    """A path as people write it: ``items[0].name``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif str(step).replace("-", "_").isidentifier():
            text += f".{step}" if text else f"{step}"
        else:
            text += f"[{json.dumps(step, ensure_ascii=False, default=str)}]"
    return text or "the arguments"


def to_problems(complaints: Iterable[Complaint], tool: Tool) -> tuple[Problem, ...]:
    """The complaints as problems, the first ten; equal hints are given once."""
    problems: list[Problem] = []
    hints: set[str] = set()
    for complaint in dict.fromkeys(complaints):
        if len(problems) == _MAX_PROBLEMS:
            problems.append(Problem("more", "There are more problems.", "Mend these first."))
            break
        hint = "" if complaint.hint in hints else complaint.hint
        hints.add(complaint.hint)
        problems.append(Problem(complaint.code, complaint.text, hint))
    return tuple(problems) or (Problem("invalid-value", f"{tool.name} refuses them."),)


def by_shape(mismatches: Iterable[Mismatch]) -> list[Complaint]:
    """Complaints about structure."""
    return [_of_mismatch(mismatch) for mismatch in mismatches]


def _of_mismatch(mismatch: Mismatch) -> Complaint:
    path, name = mismatch.path, place(mismatch.path)
    if mismatch.kind == "missing":
        return Complaint("missing-argument", path, f"{name} is missing ({mismatch.expected}).", f"Add {name}.")
    if mismatch.kind == "unknown":
        return Complaint(
            "unknown-argument", path, f"{name} is unknown.", instead(str(path[-1]), mismatch.choices, field=True)
        )
    if mismatch.kind == "deep":
        return Complaint("too-deep", path, f"{name} is nested too deeply: {mismatch.expected}.", "Nest it less.")
    text = f"{name} must be {mismatch.expected}, got {mismatch.found}."
    if mismatch.kind == "enum":
        return Complaint("not-allowed", path, text, instead(mismatch.found.strip('"'), mismatch.choices, field=False))
    return Complaint("wrong-type", path, text, _how_to_write(mismatch.expected))


def instead(written: str, choices: tuple[str, ...], *, field: bool) -> str:
    """What to write instead of a value, or of an unknown ``field``, that is none of the choices."""
    folded = {choice.casefold(): choice for choice in choices}
    close = [folded[match] for match in get_close_matches(written.casefold(), folded, n=2, cutoff=0.6)]
    if close:
        return f"Did you mean {' or '.join(close)}?"
    if not choices:
        return "Leave it out." if field else ""
    listed = ", ".join(choices[:20])
    return f"Leave it out, or use one of: {listed}." if field else f"Use one of: {listed}."


def _how_to_write(expected: str) -> str:
    for name, example in FORMATS.items():
        if expected.endswith(f"({name})"):
            return f"Write {example}."
    word = expected.split("[")[0].split(" ")[0]
    word = "array" if word == "list" else "object" if word == "map" or word.startswith("{") else word
    return f"Write {EXAMPLES[word]}." if word in EXAMPLES else ""
