"""What a run may use up, and how repeated calls are answered."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from react_engine.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one run; None means no limit.

    ``steps``: model replies that count as a step. ``calls``: tool calls. ``tokens``: prompt and completion
    together. ``seconds``: wall time; a request or tools under way when it is up are cancelled. ``money``: US dollars,
    where the price is known. ``format_retries``: replies in a row that could not be read. ``repeat_warn``,
    ``repeat_refuse``, ``repeat_stop``: how often the same call with the same result is made before the model is
    warned, the call refused, the run ended.
    """

    steps: int | None = 10
    calls: int | None = 20
    tokens: int | None = None
    seconds: float | None = None
    money: float | None = None
    format_retries: int = 3
    repeat_warn: int | None = 2
    repeat_refuse: int | None = 3
    repeat_stop: int | None = 4

    def __post_init__(self) -> None:
        for item in fields(self):
            value: Any = getattr(self, item.name)
            if value is None or (item.name == "format_retries" and value == 0):
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
                raise ConfigurationError(f"Limit {item.name} must be a positive number or None, got {value!r}.")
