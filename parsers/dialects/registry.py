"""All known dialects by name, the shipped ones and those that users add."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, lru_cache
from itertools import count

from react_engine.errors import ConfigurationError
from react_engine.parsers.dialects import json_frames, tag_frames, text_frames, token_frames
from react_engine.parsers.dialects.record import Dialect, Frame, Variant
from react_engine.parsers.dialects.writings import WRITINGS


def _escaped(words: tuple[str, ...]) -> tuple[str, ...]:
    """Markers, and those with underscores as Markdown escapes them."""
    spelled = [word.replace("_", r"\_") for word in words if "_" in word and word[:2] not in ("<|", "<｜")]
    return tuple(dict.fromkeys((*words, *spelled)))


RECORDS: tuple[Dialect, ...] = tuple(
    replace(
        record,
        writing=WRITINGS.get(record.name),
        openers=_escaped(record.openers),
        closers=_escaped(record.closers),
        chrome=_escaped(record.chrome),
    )
    for frames in (text_frames, json_frames, token_frames, tag_frames)
    for record in frames.DIALECTS
)
"""The shipped records. A dialect that is written in two ways has two records of one name; the first is its own."""

DIALECTS: dict[str, Dialect] = {record.name: record for record in reversed(RECORDS)}
"""The dialects that the reader knows, by name."""

# Families under which people know several dialects at once.
FAMILIES: dict[str, str] = {
    "llama3": "llama3_json",
    "granite": "granite3",
    "mistral": "mistral_v3",
    "nemotron": "nemotron_toolcall",
    "qwen-xml": "qwen3_coder",
    "qwen": "hermes",
    "minimax": "minimax_m2",
    "deepseek": "deepseek_v31",
    "kimi": "kimi_k2",
    "glm": "glm47",
    "gemma": "gemma4",
    "seed": "seed_oss",
    "command-r": "cohere_action",
    "cohere": "cohere_action",
    "internlm": "internlm2",
    "phi": "phi4_mini",
    "functionary": "functionary_v3_2",
    "cline": "tool_tag",
    "dspy": "fields",
    "gpt-oss": "harmony",
}

_added: list[Dialect] = []
_version = 0
_beside: ContextVar[Dialect | None] = ContextVar("dialect_beside", default=None)
_numbers = count()


def version() -> Hashable:
    """Differs with every change of the records, for what is compiled from them."""
    beside = _beside.get()
    return _version if beside is None else (_version, _number_of(beside))


@lru_cache(maxsize=256)
def _number_of(record: Dialect) -> int:
    return next(_numbers)


def is_known(record: Dialect) -> bool:
    """Whether the reader knows the record anyway."""
    known = DIALECTS.get(record.name)
    return known is record or known == record


@contextmanager
def beside(record: Dialect) -> Iterator[None]:
    """Within it the reader knows one dialect more, and nobody else does. Raises ConfigurationError as ``check`` does."""
    if is_known(record):
        yield
        return
    record.check()
    token = _beside.set(record)
    try:
        yield
    finally:
        _beside.reset(token)


def dialect_named(name: str) -> Dialect:
    """The record of a dialect or family. Raises ConfigurationError with the close names."""
    key = name if name in DIALECTS else FAMILIES.get(name, name)
    if key in DIALECTS:
        return DIALECTS[key]
    close = get_close_matches(name, list(DIALECTS), n=3)
    advice = f"Did you mean {' or '.join(close)}?" if close else f"Known dialects: {', '.join(sorted(DIALECTS))}."
    raise ConfigurationError(f"There is no dialect named {name!r}. {advice}")


@cache
def dialect_of(frame: Frame, variant: Variant = "") -> str:
    """What a reply in a frame without markers is called when no dialect was told."""
    return next(record.name for record in RECORDS if (record.frame, record.variant) == (frame, variant))


def frame_of(name: str) -> Frame | None:
    """The frame of a dialect that is known now, None for any other name."""
    beside = _beside.get()
    record = beside if beside is not None and beside.name == name else DIALECTS.get(name)
    return record.frame if record is not None else None


def register_dialect(*records: Dialect) -> None:
    """Teach the reader further dialects, for the whole process. One of the same name replaces the one before.

    Raises ConfigurationError, with what to do, for a record that cannot work: no name, no marker where the frame needs
    one, a pattern that is no regular expression, has no bound or lacks a group, a template that nobody has.
    """
    global _version
    for record in records:
        record.check()
    if all(record in _added for record in records):
        return
    names = {record.name for record in records}
    _added[:] = [record for record in _added if record.name not in names]
    _added.extend(records)
    DIALECTS.update({record.name: record for record in records})
    _version += 1


def forget_dialect(*names: str) -> None:
    """Undo ``register_dialect``: a shipped dialect of the same name counts again. Names that were not added are none."""
    global _version
    _added[:] = [record for record in _added if record.name not in names]
    for name in names:
        shipped = next((record for record in RECORDS if record.name == name), None)
        if shipped is not None:
            DIALECTS[name] = shipped
        else:
            DIALECTS.pop(name, None)
    _version += 1


def added_records() -> tuple[Dialect, ...]:
    """The records that are not shipped."""
    beside = _beside.get()
    return tuple(_added) if beside is None else (beside, *(known for known in _added if known.name != beside.name))


def all_records() -> tuple[Dialect, ...]:
    """Every record, those of users first: what they say of a marker goes before what is shipped."""
    return _records(version())


@lru_cache(maxsize=16)
def _records(_version: Hashable) -> tuple[Dialect, ...]:
    added = added_records()
    replaced = {record.name for record in added}
    return (*added, *(record for record in RECORDS if record.name not in replaced))


def chosen(records: Iterable[Dialect], first: str) -> list[Dialect]:
    """The records with those named ``first`` in front."""
    return sorted(records, key=lambda record: record.name != first)
