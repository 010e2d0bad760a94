"""The markers of all dialects together, compiled: where calls may begin and end, and what is no text."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from react_engine.parsers.control import END_TOKENS, NEXT_TURN, PLAIN_REASONING
from react_engine.parsers.dialects import Dialect, Tags, all_records, version
from react_engine.parsers.dialects.record import CALM, marker_pattern
from react_engine.parsers.trie import trie_branches

_MARKED = ("marked", "messages", "object")


class Messages(NamedTuple):
    """A dialect of addressed messages: what opens a body, and what ends one."""

    dialect: Dialect
    opener: str
    header: re.Pattern[str]
    ends: re.Pattern[str]


@dataclass(frozen=True)
class Markup:
    """The markers of a set of dialects.

    ``owners`` says which dialects open calls with a marker. ``closer`` matches what ends a call or a block,
    ``result`` what only an invented observation or turn begins with, ``chrome`` every marker that is no text beside
    calls; ``leading`` and ``trailing`` match those at the edges of any text. ``messages`` are the dialects of addressed
    messages, ``beginnings`` a marker that a reply begins with, ``words`` matches the markers that are words, of which
    ``calm`` have no character of a label; ``hazard`` is what changes the meaning of a reply that holds only calls:
    reasoning, ends of turns, results, messages.
    ``separator`` is what stands between calls in dialects of lines, ``separators`` whose it is.
    """

    opener: re.Pattern[str]
    owners: Mapping[str, tuple[Dialect, ...]]
    patterned: tuple[tuple[re.Pattern[str], Dialect], ...]
    closer: re.Pattern[str]
    result: re.Pattern[str]
    chrome: re.Pattern[str]
    leading: re.Pattern[str]
    trailing: re.Pattern[str]
    beginning: re.Pattern[str]
    tags: tuple[Tags, ...]
    messages: tuple[Messages, ...]
    beginnings: re.Pattern[str]
    words: re.Pattern[str]
    calm: tuple[str, ...]
    hazard: re.Pattern[str]
    separator: re.Pattern[str]
    separators: Mapping[str, str]

    def owning(self, word: str) -> tuple[Dialect, ...]:
        """The dialects that open calls with ``word``."""
        owners = self.owners.get(word)
        if owners is None:
            owners = tuple(dialect for pattern, dialect in self.patterned if pattern.fullmatch(word))
        return owners

    def has_calm_marker(self, text: str) -> bool:
        """Whether a text of calm characters holds a marker."""
        for word in self.calm:  # noqa: SIM110 - a generator costs more than the search itself
            if word in text:
                return True
        return False

    def json_owner(self, word: str, told: str) -> Dialect | None:
        """The dialect that reads a JSON object behind ``word``, None if something else may stand there."""
        owners = [dialect for dialect in self.owning(word) if not told or dialect.name == told]
        plain = owners and not (owners[0].head or owners[0].lead or owners[0].self_named)
        return owners[0] if plain else None

    def structure(self, tags: Tags) -> re.Pattern[str]:
        """What cannot be a value where arguments stand in ``tags``: groups ``open``, ``close``, ``end``, ``call``."""
        return _structure(tags.open, tags.close, self.closer.pattern, self.opener.pattern)


def markup() -> Markup:
    """The markup of all dialects that are known now."""
    return _of_version(version())


@lru_cache(maxsize=16)
def _of_version(number: Hashable) -> Markup:
    return _compiled(all_records())


def is_marker(text: str) -> bool:
    """Whether a text is a marker of some dialect, all of it."""
    return text in END_TOKENS or _every_marker(version()).fullmatch(text) is not None


@lru_cache(maxsize=16)
def _every_marker(_version: Hashable) -> re.Pattern[str]:
    records = all_records()
    pairs = [word for record in records for pair in (*record.reasoning, *record.channels) for word in pair]
    single = [
        word for record in records for word in (*record.openers, *record.closers, *record.chrome, *record.results)
    ]
    return re.compile(words_of([*single, *pairs]))


def words_of(markers: Iterable[str]) -> str:
    """One expression for markers, longest first."""
    markers = dict.fromkeys(markers)
    literal = [marker for marker in markers if "*" not in marker]
    patterned = [marker_pattern(marker) for marker in markers if "*" in marker]
    return "|".join([*patterned, *trie_branches(literal)]) or r"(?!)"


def _compiled(records: tuple[Dialect, ...]) -> Markup:
    owners: dict[str, list[Dialect]] = {}
    patterned = []
    for record in records:
        for word in record.openers if record.frame == "marked" else ():
            if "*" in word:
                patterned.append((re.compile(marker_pattern(word)), record))
            else:
                owners.setdefault(word, []).append(record)
    closers = [word for record in records if record.frame in _MARKED for word in record.closers]
    openers = [word for record in records if record.frame == "marked" for word in record.openers]
    chrome = [word for record in records for word in record.chrome]
    separators = {word: record.name for record in records if record.frame == "lines" for word in record.openers}
    pieces = words_of([*closers, *chrome, *END_TOKENS])
    edge = words_of([*chrome, *END_TOKENS, *(word for word in closers if word[:2] in ("<|", "<｜"))])
    return Markup(
        opener=re.compile(words_of(openers)),
        owners={word: tuple(found) for word, found in owners.items()},
        patterned=tuple(patterned),
        closer=re.compile(words_of(closers)),
        result=re.compile(words_of(word for record in records for word in record.results) + "|" + NEXT_TURN.pattern),
        chrome=re.compile(pieces),
        leading=re.compile(rf"(?:\s*+(?:{edge}))+"),
        beginning=re.compile(words_of(word for record in records for word in record.chrome if _begins(word))),
        trailing=re.compile(rf"(?:\s*+(?:{edge}))++\s*+\Z"),
        messages=tuple(_messages(record) for record in records if record.frame == "messages"),
        beginnings=re.compile(rf"\s*+(?:{words_of([*openers, *chrome])})"),
        words=re.compile(words_of(word for word in _all_markers(records) if not _SPECIAL.search(word))),
        calm=tuple(word for word in _all_markers(records) if re.fullmatch(f"{CALM}+", word)),
        hazard=_hazard(records),
        separator=re.compile(rf"(?:{words_of([*separators, *END_TOKENS])})\s*"),
        separators=separators,
        tags=tuple(
            {record.tags.open: Tags(record.tags.open, record.tags.close) for record in records if record.tags}.values()
        ),
    )


_SPECIAL = re.compile(r"[<>\[\]{}`~*\\｜|✿◁▷｛｝【】]")


def _all_markers(records: tuple[Dialect, ...]) -> Iterable[str]:
    for record in records:
        yield from (*record.openers, *record.closers, *record.chrome, *record.results)
        for pair in (*record.reasoning, *record.channels):
            yield from pair


def _hazard(records: tuple[Dialect, ...]) -> re.Pattern[str]:
    pairs = [pair for record in records for pair in (*record.reasoning, *record.channels)]
    thinking = in_any_case(word for pair in (*pairs, *PLAIN_REASONING) for word in pair)
    others = [
        word
        for record in records
        for word in (*record.results, *(record.openers if record.frame == "messages" else ()))
    ]
    return re.compile(rf"{thinking}|{words_of([*others, *END_TOKENS])}|{NEXT_TURN.pattern}")


def in_any_case(markers: Iterable[str]) -> str:
    """One quick expression for markers in any case: a search skips what none of their first characters begins."""
    spelled = [cased for word in markers if word for cased in {word[0].lower() + word[1:], word[0].upper() + word[1:]}]
    return "|".join(f"{re.escape(first)}(?i:{rest})" for first, rest in _by_first(spelled))


def _by_first(words: Iterable[str]) -> Iterable[tuple[str, str]]:
    """(first character, expression for the rest)."""
    rests: dict[str, list[str]] = {}
    for word in words:
        rests.setdefault(word[0], []).append(word[1:])
    return ((first, words_of(below) if all(below) else "") for first, below in rests.items())


def _messages(record: Dialect) -> Messages:
    opener = record.openers[0]
    return Messages(record, opener, re.compile(record.head), re.compile(words_of((*record.closers, opener))))


def _begins(word: str) -> bool:
    """Whether a marker opens a block of calls."""
    return "call" in word or "tool" in word


@lru_cache(maxsize=32)
def _structure(opening: str, closing: str, end: str, call: str) -> re.Pattern[str]:
    return re.compile(rf"(?P<open>{opening})|(?P<close>{closing})|(?P<end>{end})|(?P<call>{call})")
