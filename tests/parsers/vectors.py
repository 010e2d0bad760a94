"""The trained forms of every dialect, and usual deviations from them: ``vectors.jsonl``, one reply a line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parent / "vectors.jsonl"


@dataclass(frozen=True)
class Vector:
    """One reply in a dialect, the tools on offer, and what it says: calls, visible text, reasoning."""

    id: str
    dialect: str
    tools: tuple[dict[str, Any], ...]
    text: str
    calls: tuple[tuple[str, dict[str, Any]], ...]
    content: str
    reasoning: str

    __hash__ = object.__hash__


def _vector(line: dict[str, Any]) -> Vector:
    expect = line["expect"]
    calls = tuple((call["name"], call["arguments"]) for call in expect["calls"])
    content, reasoning = expect["content"] or "", expect["reasoning"] or ""
    return Vector(line["id"], line["dialect"], tuple(line["tools"]), line["text"], calls, content, reasoning)


VECTORS = [_vector(json.loads(line)) for line in _FILE.read_text(encoding="utf-8").splitlines()]
"""All of them, in the order of the file."""
