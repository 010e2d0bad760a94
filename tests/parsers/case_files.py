"""Loads the reader's cases: one YAML file for each behaviour, the tools they share in ``tools.yaml``.

A case has ``id``, ``kind``, ``note`` (why the expected reading is right), ``tools`` (names from ``tools.yaml``),
``text`` (the raw reply), ``expect`` and, where a limit cut the reply, ``truncated: true``. ``expect`` is the word
``text`` (no call; the whole reply is the answer) or a mapping of ``calls``, ``final`` (the answer) and ``error``
(malformed: ask again; the wording is free). Without ``calls`` no call may be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent / "cases"

_KEYS = {"id", "kind", "note", "tools", "text", "expect", "truncated"}
_EXPECTATIONS = {"calls", "final", "error"}


@dataclass(frozen=True)
class Case:
    """One reply and the reading that is right for it. ``calls`` are (name, arguments) in order."""

    id: str
    kind: str
    note: str
    tools: tuple[dict[str, Any], ...]
    text: str
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    final: str | None = None
    error: str | None = None
    truncated: bool = False

    @property
    def finish_reason(self) -> str:
        """What the server said about the end of the reply."""
        return "length" if self.truncated else "stop"


def load_cases(folder: Path = FOLDER) -> list[Case]:
    """Every case of the folder, by file and place. Raises ValueError for a case that is not in the form above."""
    shared = _parse(folder / "tools.yaml")
    tools = {name: {"name": name, **body} for name, body in shared.items()}
    cases = [
        _case(entry, tools, path.name)
        for path in sorted(folder.glob("*.yaml"))
        if path.name != "tools.yaml"
        for entry in _parse(path)
    ]
    ids = [case.id for case in cases]
    if doubled := sorted({name for name in ids if ids.count(name) > 1}):
        raise ValueError(f"ids used more than once: {doubled}")
    return cases


def _parse(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def _case(entry: dict[str, Any], tools: dict[str, dict[str, Any]], file: str) -> Case:
    expect = entry["expect"]
    if expect == "text":
        expect = {"final": entry["text"]}
    if (unknown := set(entry) - _KEYS | set(expect) - _EXPECTATIONS) or not isinstance(entry["text"], str):
        raise ValueError(f"{file}: {entry.get('id')}: unknown keys {sorted(unknown)} or text that is no string")
    return Case(
        id=entry["id"],
        kind=entry["kind"],
        note=entry["note"],
        tools=tuple(tools[name] for name in entry["tools"]),
        text=entry["text"],
        calls=tuple((call["name"], call["arguments"]) for call in expect.get("calls", ())),
        final=expect.get("final"),
        error=expect.get("error"),
        truncated=entry.get("truncated", False),
    )
