"""Finds arguments that stand for the result of an earlier call of the same reply.

A model that plans ahead writes ``{{get_weather.temp}}`` or ``#E1`` where a result belongs that it has not
seen. Such a call must not run: its tool would be given the placeholder itself.

A text counts as a placeholder only if all of it is one and it names an earlier call: by number, id, tool or
as the previous one. Inside a longer text only ``{{…}}`` and ``${…}`` count. Text that mentions a tool
(``"call get_weather first"``), a lone ``<title>`` or ``[1]``, a price of ``$1.50`` are what they say. The rule
errs cheaply where it errs: the model is asked to call again, and alone in its reply the same call runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from react_engine.types import ToolCall

_LONGEST = 160  # characters of a placeholder
_MOST = 100  # calls of a reply that can be named: a reply with more of them is no plan
_OPENERS = tuple("{$#<[(")
_RESULT = frozenset(
    [
        "result",
        "results",
        "output",
        "outputs",
        "response",
        "responses",
        "observation",
        "observations",
        "answer",
        "value",
    ]
)
_CALL = frozenset(["call", "calls", "step", "steps", "tool", "tools", "action", "actions", "function", "task", "query"])
_PREVIOUS = frozenset(["previous", "prev", "last", "prior", "preceding", "earlier", "above"])
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
_FILLERS = frozenset(
    [
        "the",
        "a",
        "an",
        "of",
        "from",
        "by",
        "in",
        "to",
        "for",
        "id",
        "number",
        "no",
        "use",
        "insert",
        "here",
        "and",
        "s",
        "its",
    ]
)

_WHOLE = re.compile(
    r"""
    (?:\$E?|\#E)(?P<number>[0-9]{1,3})(?:\.[A-Za-z_]\w*|\[\w*\])*    # $1, #E1, $1.temp
  | (?P<loud>                                                # forms of templates: a name alone is enough
        \{\{[^{}]+\}\} | \$\{[^{}]+\} | \$[A-Za-z_][\w.\[\]"'-]*
    )
  | \{(?P<brace>[^{}]+)\} | <{1,2}(?P<angle>[^<>]+)>{1,2} | \[{1,2}(?P<square>[^\[\]]+)\]{1,2} | \((?P<round>[^()]+)\)
    """,
    re.VERBOSE | re.ASCII,
)
_INSIDE = re.compile(r"\{\{([^{}]{1,120})\}\}|\$\{([^{}]{1,120})\}")
_WORD = re.compile(r"[^\W\d_]+|[0-9]{1,3}|[^\s\w.:#'\"-]")


class Reference(NamedTuple):
    """An argument that stands for a result: where it is, what it says, and which call it means."""

    path: str
    text: str
    position: int


class References:
    """The calls of one reply, by every name that a placeholder may use for them."""

    def __init__(self, calls: Sequence[ToolCall]) -> None:
        self._calls = calls
        self.tools: dict[str, list[int]] = {}
        self.ids: dict[str, list[int]] = {}
        for position, call in enumerate(calls[:_MOST]):
            self.tools.setdefault(call.name.lower(), []).append(position)
            if len(call.id) > 1:
                self.ids.setdefault(call.id.lower(), []).append(position)

    @cached_property
    def names(self) -> re.Pattern[str]:
        """A pattern of the ids and tools, each with the path that may follow; most replies never need it."""
        known = sorted((name for name in {**self.tools, **self.ids} if name), key=len, reverse=True)
        either = "|".join(re.escape(name) for name in known) or r"(?!)"
        return re.compile(rf"(?<![A-Za-z0-9])(?P<name>{either})(?![A-Za-z0-9])(?P<path>(?:\.[A-Za-z_]\w*|\[\w*\])*)")

    def find(self, position: int) -> Reference | None:
        """The first argument of the call at a position that stands for the result of a call before it, or None."""
        if position == 0:
            return None
        scope = _Scope(self, position)
        for path, text in _texts(self._calls[position].arguments):
            meant = scope.position(text)
            if meant is not None:
                return Reference(path, text, meant)
        return None


def _texts(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every text in the arguments with its path, in order."""
    pending: list[tuple[Any, Any]] = [(None, arguments)]
    while pending:
        place, value = pending.pop()
        if isinstance(value, str):
            yield _path(place), value
        elif isinstance(value, Mapping):
            pending += [((place, f".{key}"), item) for key, item in list(value.items())[::-1]]
        elif isinstance(value, (list, tuple)):
            pending += [((place, f"[{index}]"), value[index]) for index in range(len(value) - 1, -1, -1)]


def _path(place: Any) -> str:
    parts: list[str] = []
    while place is not None:
        place, part = place
        parts.append(part)
    return "".join(reversed(parts)).removeprefix(".")


class _Said(NamedTuple):
    """What the words of a text say about a call."""

    position: int | None
    named: bool
    has_path: bool
    nouns: frozenset[str]


_NOTHING = _Said(None, False, False, frozenset())


class _Scope:
    """What a placeholder can mean in the call at ``count``: one of the calls before it."""

    def __init__(self, references: References, count: int) -> None:
        self._references = references
        self._count = count

    def position(self, text: str) -> int | None:
        """The earlier call whose result a text stands for, or None where the text is just a text."""
        if len(text) <= _LONGEST:
            stripped = text.strip().strip("\"'`")
            position = self._wrapped(stripped) if stripped[:1] in _OPENERS else self._bare(stripped)
            if position is not None:
                return position
        if "{{" in text or "${" in text:
            return self._inside(text)
        return None

    def _wrapped(self, text: str) -> int | None:
        match = _WHOLE.fullmatch(text)
        if match is None:
            return None
        if match["number"]:
            return self._numbered(int(match["number"]))
        content = match[match.lastgroup or 0].strip("${}")
        if match["loud"] and content.strip().isdecimal() and len(content.strip()) <= 3:
            return self._numbered(int(content))
        said = self._said(content)
        if match["loud"] or said.nouns or said.has_path or self._by_id(content.strip()) is not None:
            return said.position
        return None

    def _bare(self, text: str) -> int | None:
        """Without brackets only an id, or words that can mean nothing else: ``result_of_previous_call``."""
        by_id = self._by_id(text)
        if by_id is not None and len(text) >= 6 and any(mark.isdigit() for mark in text):
            return by_id
        lowered = text.lower()
        said = self._said(text) if any(word in lowered for word in _RESULT) else _NOTHING
        if not said.nouns & _RESULT:
            return None
        spaced = any(mark.isspace() for mark in text)
        by_call = bool(said.nouns & _CALL)
        by_previous = bool(said.nouns & _PREVIOUS)
        plain = by_call and not said.named if spaced else said.named or by_call or by_previous
        return said.position if plain else None

    def _inside(self, text: str) -> int | None:
        for match in _INSIDE.finditer(text):
            said = self._said(match[1] or match[2])
            if said.position is not None:
                return said.position
        return None

    def _said(self, content: str) -> _Said:
        """What a text says, if every word of it belongs to the talk about results; nothing otherwise."""
        names, ids = self._references.names, self._references.ids
        matches = list(names.finditer(content.lower()))
        rest = names.sub(" ", content.lower())
        position = None
        if matches:
            name = matches[0]["name"]
            position = self._latest(ids.get(name) or self._references.tools[name])
            if position is None:
                return _NOTHING
        nouns = {word for match in matches for word in re.findall(r"\w+", match["path"]) if word in _RESULT}
        for word in _WORD.findall(rest):
            if word in _RESULT or word in _CALL or word in _PREVIOUS:
                nouns.add(word)
            elif word.isdecimal() or word in _ORDINALS:
                number = _ORDINALS.get(word) or int(word)
                position = self._numbered(number) if position is None else position
                nouns.add("")
            elif word not in _FILLERS:
                return _NOTHING
        if position is None and nouns & _PREVIOUS and nouns & (_RESULT | _CALL):
            position = self._count - 1
        if not matches and "" in nouns and not nouns & (_RESULT | _CALL):
            return _NOTHING
        has_path = any(match["path"] for match in matches)
        return _Said(position, bool(matches), has_path, frozenset(nouns - {""}))

    def _by_id(self, text: str) -> int | None:
        return self._latest(self._references.ids.get(text.lower(), ()))

    def _latest(self, positions: Sequence[int]) -> int | None:
        return max((position for position in positions if position < self._count), default=None)

    def _numbered(self, number: int) -> int | None:
        """The call of a 1-based number; models that count from zero mean the first one by 0."""
        return max(number - 1, 0) if number <= self._count else None
