"""What a reply means, apart from how it is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Tool = dict[str, Any]
"""A tool on offer: ``name``, ``description`` and ``parameters`` (JSON Schema)."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call that a model meant."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The call as plain JSON."""
        return {"name": self.name, "arguments": self.arguments}


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply that a model meant: what it thought, said, and called; or its answer.

    ``before`` and ``after`` are text that people see beside the calls.
    """

    thought: str = ""
    before: str = ""
    calls: tuple[Call, ...] = ()
    after: str = ""
    answer: str = ""


class Survival(StrEnum):
    """What a damaged reply lets a careful reader do; an informed human is the measure.

    - ``recover``: what was meant is still plain. The calls must be read, all of them and no others.
    - ``either``: reading what was meant and reading less are both right, a different call is wrong.
    - ``refuse``: there is no call to be had from it. Any call is an invented one.
    - ``free``: the damage may have changed what is meant. Only the contract is checked: no crash, spans in the text,
      the same reading from a stream.
    """

    RECOVER = "recover"
    EITHER = "either"
    REFUSE = "refuse"
    FREE = "free"
