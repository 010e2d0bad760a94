"""Calls as servers send them, read into ``ToolCall``; and ids for calls that have none."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from react_engine.models.base import RawCall
from react_engine.parsers.arguments import read_arguments
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.regions import Region
from react_engine.types import Span, Tolerance, ToolCall


def read_native_call(raw: RawCall, index: ToolIndex, names: Mapping[str, str], *, cut: bool = False) -> ToolCall:
    """One native call. ``names`` maps names on the wire to registered ones; ``cut``: a limit ended the reply in it.

    Arguments go up the same ladder as those read from text. What cannot be read becomes a call with a
    ``problem``: it keeps its id, so that it can be answered, and never runs.
    """
    name = names.get(raw.name, raw.name)
    resolved = index.resolve(name)
    if resolved.kind != "known":
        return ToolCall(name, plain_object(raw.arguments) or {}, raw.id, raw.arguments, dialect="native")
    tolerances = (Tolerance(resolved.tolerance, Span(0, 0)),) if resolved.tolerance else ()
    read = read_arguments(Region(raw.arguments, 0, len(raw.arguments), cut=cut), index[resolved.name])
    arguments, problem = read.arguments, read.problem
    if (
        problem is not None
        and problem.code == "missing-argument"
        and (plain := plain_object(raw.arguments)) is not None
    ):
        arguments, problem = plain, None  # validation says it better: it names each field
    return ToolCall(
        resolved.name, arguments or {}, raw.id, raw.arguments, None, "native", (*tolerances, *read.tolerances), problem
    )


def plain_object(arguments: str) -> dict[str, Any] | None:
    """A JSON object, or None if the text is none. No arguments at all are an empty object."""
    if not arguments.strip():
        return {}
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def unique_ids(calls: Sequence[ToolCall], turn: int) -> list[str]:
    """Ids for the calls of one turn: their own where they have one and it differs, else made from the position."""
    ids: list[str] = []
    for position, call in enumerate(calls):
        made = f"call{turn % 1000:03d}{position % 100:02d}"  # nine letters and digits: the strictest servers take it
        ids.append(call.id if call.id and call.id not in ids else made)
    return ids
