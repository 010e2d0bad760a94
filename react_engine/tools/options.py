"""How a tool may be run: time, retries, consent, caching, limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any, TypedDict

from react_engine.errors import ConfigurationError

# What goes away by itself: worth another attempt. A tool may name others in ``retry_on``.
TRANSIENT: tuple[type[BaseException], ...] = (ConnectionError, TimeoutError)


@dataclass(frozen=True, slots=True)
class RateLimit:
    """At most ``calls`` calls in ``seconds`` seconds."""

    calls: int
    seconds: float = 60.0

    def __post_init__(self) -> None:
        if self.calls < 1 or not self.seconds > 0:
            raise ConfigurationError(f"A rate limit needs at least one call in a time, got {self!r}.")


@dataclass(frozen=True, slots=True)
class ToolOptions:
    """How a tool may be run.

    ``timeout``: seconds for one attempt, None for no limit. ``retries``: further attempts after a failure
    named in ``retry_on``, with exponential back-off and jitter; a tool with side effects is not retried
    unless it says so. ``side_effects``: it changes something; then it is confirmed before it runs
    (``confirm`` overrides that) and calls read with a lossy tolerance are refused (``allow_lossy``
    overrides that). Tools are read-only unless they say otherwise: whoever registers one knows what it does.
    ``cache_ttl``: seconds a result is kept for equal arguments. ``max_result``: characters of a result that
    reach the model. ``max_calls``: calls allowed in one run. ``secret``: its output is never logged or traced.
    """

    timeout: float | None = 30.0
    retries: int | None = None
    retry_on: tuple[type[BaseException], ...] = TRANSIENT
    side_effects: bool = False
    confirm: bool | None = None
    allow_lossy: bool | None = None
    cache_ttl: float | None = None
    rate_limit: RateLimit | None = None
    max_result: int = 16_000
    max_calls: int | None = None
    secret: bool = False
    category: str = "general"
    tags: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        checks = {
            "timeout": self.timeout is None or self.timeout > 0,
            "retries": self.retries is None or self.retries >= 0,
            "cache_ttl": self.cache_ttl is None or self.cache_ttl > 0,
            "max_result": self.max_result > 0,
            "max_calls": self.max_calls is None or self.max_calls > 0,
        }
        for name, holds in checks.items():
            if not holds:
                raise ConfigurationError(f"Tool option {name} must be positive, got {getattr(self, name)!r}.")

    @property
    def asks_first(self) -> bool:
        """Whether a call needs a yes before it runs."""
        return self.side_effects if self.confirm is None else self.confirm

    @property
    def takes_lossy(self) -> bool:
        """Whether a call that was read with a lossy tolerance may run."""
        return not self.side_effects if self.allow_lossy is None else self.allow_lossy

    @property
    def attempts(self) -> int:
        """Attempts in all."""
        return 1 + ((0 if self.side_effects else 2) if self.retries is None else self.retries)


class OptionFields(TypedDict, total=False):
    """The fields of ``ToolOptions`` as keywords of whatever makes a tool."""

    timeout: float | None
    retries: int | None
    retry_on: tuple[type[BaseException], ...] | type[BaseException]
    side_effects: bool
    confirm: bool | None
    allow_lossy: bool | None
    cache_ttl: float | None
    rate_limit: RateLimit | None
    max_result: int
    max_calls: int | None
    secret: bool
    category: str
    tags: Iterable[str]


def make_options(keywords: Mapping[str, Any]) -> ToolOptions:
    """Options from keywords. One exception type and any iterable of tags will do.

    Raises ConfigurationError for an unknown keyword, with the nearest one that exists.
    """
    known = [field.name for field in fields(ToolOptions)]
    for keyword in keywords:
        if keyword not in known:
            close = get_close_matches(keyword, known, n=1)
            hint = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(known)}."
            raise ConfigurationError(f"There is no tool option {keyword!r}. {hint}")
    values = dict(keywords)
    if isinstance(values.get("retry_on"), type):
        values["retry_on"] = (values["retry_on"],)
    if "tags" in values:
        tags = values["tags"]
        values["tags"] = frozenset({tags} if isinstance(tags, str) else tags)
    return ToolOptions(**values)
