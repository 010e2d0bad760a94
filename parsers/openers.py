"""Where calls may begin: markers with something behind them that has the form of a call."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from react_engine.parsers.cues import speaks_of_marker
from react_engine.parsers.dialects import Dialect, Tags
from react_engine.parsers.dialects.registry import chosen
from react_engine.parsers.markup import Markup, markup

Body = str
"""How the arguments stand: ``json``, ``tags``, ``elements``, ``quoted``, ``python``, ``call``, ``words``, ``nothing``."""

PACKAGING = re.compile(r"(?:\s++|\\n|```\w*+|`)*+")
_PYTHON_CALL = re.compile(
    r"\[?\s{0,8}(?:print\s{0,2}\(\s{0,2})?(?:[^\W\d]\w{0,40}\s{0,2}=\s{0,2}(?=[^\W\d][\w.\-]{0,127}\s{0,2}\())?"
    r"(?P<name>[^\W\d][\w.\-]{0,127})\s{0,2}\("
)
_WORDS = re.compile(r"[^\W\d][\w.-]{0,60}\s{0,4}[=:]\s{0,4}(?=\S)")
MOST_OPENERS = 1000
"""Calls of one reply that are looked for: a model that writes more repeats itself."""
MOST_TRIED = 5000
"""Markers of one reply that are looked at, whether a call stands behind them or not."""
_JSON = "{[｛"
_PACKED = re.compile(r"\"\s{0,8}[{｛\[]")
_MEMBER = re.compile(r"\"(?:name|tool_name|function_name|tool|function|action)\"\s{0,4}:")
_LINE = 81
_LEAD = 160


class Opener(NamedTuple):
    """The beginning of a call: ``start`` with what belongs to it, ``body`` where its arguments begin."""

    start: int
    body: int
    kind: Body
    dialect: Dialect
    name: str = ""
    id: str = ""
    tags: Tags | None = None
    marker: int = 0


def _nowhere(_: int) -> bool:
    return False


def find_openers(
    text: str, start: int, end: int, hidden: Callable[[int], bool] = _nowhere, told: str = ""
) -> list[Opener]:
    """The markers with a call behind them that are not hidden in a fence or in reasoning. Linear."""
    known = markup()
    found: list[Opener] = []
    sample = _Sample(text, start, end)
    for tried, match in enumerate(known.opener.finditer(text, start, end)):
        if len(found) >= MOST_OPENERS or tried >= MOST_TRIED:
            break
        if hidden(match.start()) or sample.holds(match.start()) or (found and match.start() < found[-1].body):
            continue
        owners = known.owning(match[0])
        failed: list[tuple[object, ...]] = []
        for dialect in chosen(owners, told) if told and len(owners) > 1 else owners:
            if dialect.form in failed:  # another family that writes the same behind the same marker
                continue
            opener = _opener(known, dialect, text, start, match.start(), match.end(), end)
            if opener is not None:
                found.append(opener)
                break
            failed.append(dialect.form)
    return found


def _opener(known: Markup, dialect: Dialect, text: str, start: int, marker: int, body: int, end: int) -> Opener | None:
    name = call_id = ""
    begin, may_be_text = marker, False
    if dialect.lead_pattern is not None:
        lead = dialect.lead_pattern.match(text, max(start, marker - _LEAD), marker)
        if lead is not None:
            begin = lead.start()
            name = lead.groupdict().get("name") or ""
        elif "?P<name>" in dialect.lead:
            return None
    if dialect.head_pattern is not None:
        head = dialect.head_pattern.match(text, body, end)
        if head is None:
            return None
        groups = head.groupdict()
        name, call_id, body = groups.get("name") or name, groups.get("id") or "", head.end()
        may_be_text = bool(groups.get("text"))
    packaging = PACKAGING.match(text, body, end)
    body = packaging.end() if packaging else body
    kind, tags = body_kind(known, dialect, text, body, end, name)
    kind = kind or ("words" if may_be_text else "")
    return Opener(begin, body, kind, dialect, name, call_id, tags, marker) if kind else None


def body_kind(known: Markup, dialect: Dialect, text: str, body: int, end: int, name: str) -> tuple[Body, Tags | None]:
    """How the arguments at ``body`` are written; empty when nothing there has the form of arguments."""
    if body >= end:
        return ("nothing" if name else ""), None
    if name:
        if dialect.quote and text[body] in "{(":
            return "quoted", None
        if (tags := _tags_at(known, dialect, text, body, end)) is not None:
            return "tags", tags
        if known.closer.match(text, body, end):
            return "nothing", None
        if dialect.elements is not None and text.startswith(f"{dialect.elements}<", body):
            return "elements", None
        if text[body] == "(":
            return "call", None
        if text[body] in _JSON or _PACKED.match(text, body, end):
            return "json", None
        return ("words" if _WORDS.match(text, body, end) else ""), None
    if text[body] == "<":
        return "", None
    python = _PYTHON_CALL.match(text, body, end)
    if python is not None:
        return "python", None
    if text[body] in "[(" and speaks_of_marker(text, body + 1):  # ``functools[ is …``: a marker that ends in a bracket
        return "", None
    json = text[body] in _JSON or _PACKED.match(text, body, end) or _MEMBER.match(text, body, end)
    return ("json" if json else ""), None


def _tags_at(known: Markup, dialect: Dialect, text: str, body: int, end: int) -> Tags | None:
    """The form of the argument tags at ``body``: that of the dialect, or another that the model mixed in."""
    if dialect.tags is not None and dialect.tags.opener.match(text, body, end):
        return dialect.tags
    if text[body] != "<":
        return None
    return next((tags for tags in known.tags if tags.opener.match(text, body, end)), None)


class _Sample:
    """Tells markers in an indented or quoted block between ordinary paragraphs: they are shown, not meant."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text, self.start, self.end = text, start, end
        self.last: str | None = None

    def holds(self, position: int) -> bool:
        """Whether the marker at ``position`` is a sample."""
        text = self.text
        if text[max(0, position - 1) : position] not in (" ", "\t", ">"):
            return False
        line = text.rfind("\n", max(self.start, position - _LINE), position) + 1
        indent = text[line:position] if line else ""
        if not indent.startswith(("    ", "\t", ">")) or indent.strip(" \t>"):
            return False
        if not text[max(self.start, line - _LINE) : line].strip():
            return False
        if self.last is None:
            cut = text.rfind("\n", self.start, self.end) + 1
            self.last = text[cut : self.end] if cut else text[self.start : self.end]
            self.cut = cut
        return self.cut > position and bool(self.last.strip()) and not self.last.startswith(("    ", "\t", ">", "<"))
