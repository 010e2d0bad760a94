"""The record of each finished task, one line of JSON: written when the task ends, so that a killed comparison goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from react_engine import __version__
from react_engine.compare.variants import Variant
from react_engine.models.profile import ModelProfile
from react_engine.runs import EndState, FallbackReason, Run
from react_engine.suites import Suite, Task, score
from react_engine.templates.environment import read_overrides
from react_engine.templates.render import FILES
from react_engine.types import PathName

Key = tuple[Variant, str, str, str]
_FORMAT = (EndState.FORMAT, EndState.TRUNCATED)


@dataclass(frozen=True, slots=True)
class Record:
    """What became of one task in one variant. ``repairs`` counts replies that could not be read and were asked for
    again; ``format_error`` says that the run ended so. ``leaked``: calls stood in the text of native replies and were
    read in place. ``verdict``: what the gate said, empty if it was not asked. ``seconds`` are those of the model's
    replies, also of kept ones. ``basis`` is a digest of all that the task was run with: ``basis_of``.
    """

    model: str
    path: str
    dialect: str
    constraint: bool
    gate: bool
    suite: str
    kind: str
    ask: str
    end: str
    answer: str | None
    calls: tuple[Mapping[str, Any], ...]
    expected: tuple[str, ...]
    tool: bool
    arguments: bool
    done: bool
    spare: int
    steps: int
    repairs: int
    format_error: bool
    tolerances: int
    leaked: bool
    verdict: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    cost: float | None
    basis: str = ""

    @property
    def variant(self) -> Variant:
        """The variant that the record is of."""
        path: PathName = "native" if self.path == "native" else "prompt"
        return Variant(self.model, path, self.dialect, self.constraint, self.gate)

    @property
    def key(self) -> Key:
        """What tells records apart."""
        return self.variant, self.suite, self.ask, self.basis

    @property
    def called(self) -> str:
        """The tool of the first call, or ``none``."""
        return str(self.calls[0]["name"]) if self.calls else "none"


_PLACE = ("api_base", "api_key_env", "client", "sources")
"""Fields of a profile that say where a model is, not how it is asked."""


def basis_of(profile: ModelProfile, suite: Suite, templates: Path | None) -> str:
    """A digest of what a task is run with: a finished one counts only as long as this stays as it is."""
    asked = {item.name: getattr(profile, item.name) for item in fields(profile) if item.name not in _PLACE}
    own = read_overrides(templates, FILES)
    text = json.dumps([__version__, asked, suite.digest, own], ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def record_of(variant: Variant, suite: Suite, task: Task, run: Run, seconds: float, basis: str) -> Record:
    """The record of a run."""
    result = score(task, run)
    made = tuple(
        {"name": call.name, "arguments": dict(call.arguments), "status": str(outcome.status)}
        for call, outcome in zip(run.calls, run.results, strict=True)
    )
    tolerances = sum(
        len(step.reading.tolerances) + sum(len(call.tolerances) for call in step.reading.calls) for step in run.steps
    )
    return Record(
        variant.model,
        variant.path,
        variant.dialect,
        variant.constraint,
        variant.gate,
        suite.name,
        task.kind,
        task.ask,
        str(run.end),
        run.answer,
        made,
        tuple(call.tool for call in task.calls),
        result.tool,
        result.arguments,
        result.done,
        result.spare,
        len(run.steps),
        run.slips,
        run.end in _FORMAT,
        tolerances,
        any(fallback.reason is FallbackReason.LEAKED_CALL for fallback in run.fallbacks),
        run.gate.verdict if run.gate is not None else "",
        run.usage.prompt_tokens,
        run.usage.completion_tokens,
        round(seconds, 3),
        run.usage.cost,
        basis,
    )


class RecordFile:
    """Records in a file of JSON lines. A line that was cut off by the end of the process is dropped."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> list[Record]:
        """The records so far, the last of each task."""
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        found = {record.key: record for line in lines if (record := _parsed(line)) is not None}
        return list(found.values())

    def add(self, record: Record) -> None:
        """Append a record, at once on the disk."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        torn = self.path.exists() and not self.path.read_bytes().endswith(b"\n") and self.path.stat().st_size > 0
        with self.path.open("a", encoding="utf-8") as file:
            file.write(("\n" if torn else "") + json.dumps(asdict(record), ensure_ascii=False, default=str) + "\n")


def _parsed(line: str) -> Record | None:
    try:
        told = json.loads(line)
        known = {item.name: told[item.name] for item in fields(Record)}
    except (ValueError, KeyError, TypeError):
        return None
    plain: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in known.items()}
    return Record(**plain)
