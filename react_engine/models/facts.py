"""What runs and probes found out about models, remembered in the user's state folder.

A fact is one field of one model's profile on one server, with date and reason. It holds until it expires: servers
are updated, and a wrong conclusion must not last. The file is JSON, replaced as a whole at each change, so that it
is never half written; one that cannot be read is set aside with a warning.
"""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from react_engine.checking import require_known
from react_engine.errors import ConfigurationError
from react_engine.folders import STATE_VARIABLE, state_folder
from react_engine.models.record import checked_fields

Kind = Literal["learned", "probe"]

LEARNABLE = (
    "function_calling",
    "dialect",
    "parallel_calls",
    "strict",
    "system_role",
    "merge_roles",
    "chat",
    "stop_words",
    "continues",
    "thoughts",
    "grounded",
    "reasoning",
    "calls_in_reasoning",
    "context_length",
    "constraints",
    "constraint",
    "gate",
)
"""Fields that can be learned: how a model is reached cannot."""

LIFETIME = timedelta(days=30)
_VERSION = 1
_LOCK_SECONDS = 5.0


class FactsWarning(UserWarning):
    """What was remembered of models cannot be read or written; the engine goes on without."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that was found out. ``server`` is the address it was found at, empty for any; dates are UTC."""

    field: str
    value: Any
    reason: str
    source: Kind = "learned"
    server: str = ""
    since: date = date.min
    expires: date | None = None

    def holds(self, server: str, today: date) -> bool:
        """Whether the fact is meant for a server and not too old."""
        return self.server in ("", server) and (self.expires is None or today <= self.expires)

    def __str__(self) -> str:
        place = f" at {self.server}" if self.server else ""
        end = f", until {self.expires}" if self.expires else ""
        return f"{self.since}{place}: {self.reason}{end}"


Known = dict[str, tuple[Fact, ...]]


def _today() -> date:
    return datetime.now(UTC).date()


class FactStore:
    """Facts in a file; ``path`` defaults to ``models.json`` in the state folder. Safe with several processes."""

    def __init__(self, path: Path | None = None, *, today: Callable[[], date] = _today) -> None:
        self._given = path
        self._today = today
        self._cache: tuple[tuple[str, int, int, int] | None, Known] = (None, {})

    @property
    def path(self) -> Path:
        """The file."""
        return self._given or state_folder() / "models.json"

    def facts(self, name: str) -> tuple[Fact, ...]:
        """All that is remembered of a model and has not expired, the newest last."""
        today = self._today()
        return tuple(fact for fact in self._read().get(name, ()) if fact.holds(fact.server, today))

    def names(self) -> tuple[str, ...]:
        """The models of which something is remembered."""
        return tuple(self._read())

    def remember(
        self,
        name: str,
        field: str,
        value: Any,
        reason: str,
        source: Kind = "learned",
        server: str = "",
        lifetime: timedelta | None = LIFETIME,
    ) -> None:
        """Keep a fact, in place of an older one on the same field at the same server.

        Raises ``ConfigurationError`` for a field or value that no profile has. A folder that cannot be written
        is a warning: what a run has learned is never a reason for it to fail.
        """
        require_known([field], LEARNABLE, f"learning about {name}")
        value = checked_fields({field: value}, f"learning about {name}")[field]
        today = self._today()
        fact = Fact(field, value, reason, source, server, today, today + lifetime if lifetime else None)

        def add(known: Known) -> None:
            others = [old for old in known.get(name, ()) if (old.field, old.server) != (field, server)]
            known[name] = (*others, fact)

        self._change(add)

    def forget(self, name: str | None = None) -> int:
        """Drop what is remembered of a model, or of all; returns how many facts that were."""
        gone: list[Fact] = []

        def drop(known: Known) -> None:
            for key in list(known):
                if name in (None, key):
                    gone.extend(known.pop(key))

        self._change(drop)
        return len(gone)

    def _change(self, alter: Callable[[Known], None]) -> None:
        from filelock import FileLock

        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self.path.with_suffix(".lock"), timeout=_LOCK_SECONDS):
                known = dict(self._read())
                alter(known)
                self._write(known)
        except OSError as error:
            _warn(f"What was learned of models cannot be kept in {self.path}: {error}. Set {STATE_VARIABLE}.")

    def _write(self, known: Known) -> None:
        models = {name: [_plain(fact) for fact in facts] for name, facts in known.items() if facts}
        text = json.dumps({"version": _VERSION, "models": models}, ensure_ascii=False, indent=1)
        handle, fresh = tempfile.mkstemp(dir=self.path.parent, prefix=self.path.name, suffix=".new")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(fresh, self.path)
        except BaseException:
            with suppress(OSError):
                os.unlink(fresh)
            raise

    def _read(self) -> Known:
        try:
            status = self.path.stat()
            # Each change is a new file: another process's may have the same length, in the same tick of the clock.
            stamp = (str(self.path), status.st_ino, status.st_mtime_ns, status.st_size)
            if self._cache[0] != stamp:
                self._cache = (stamp, _parsed(self.path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return {}
        except OSError as error:
            _warn(f"What was learned of models cannot be read from {self.path}: {error}.")
            return {}
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            aside = self.path.with_suffix(".broken")
            _warn(f"{self.path} is damaged ({error}): it is set aside as {aside.name}, and learning starts anew.")
            with suppress(OSError):
                self.path.replace(aside)
            return {}
        return self._cache[1]


def _parsed(text: str) -> Known:
    told = json.loads(text)
    if told["version"] != _VERSION:
        raise ValueError(f"version {told['version']!r}, expected {_VERSION}")
    return {str(name): tuple(map(_fact, facts)) for name, facts in told["models"].items()}


def _fact(plain: Mapping[str, Any]) -> Fact:
    field, source = plain["field"], plain["source"]
    if field not in LEARNABLE or source not in ("learned", "probe"):
        raise ValueError(f"no fact: {field!r} from {source!r}")
    try:
        value = checked_fields({field: plain["value"]}, field)[field]
    except ConfigurationError as error:
        raise ValueError(str(error)) from error
    expires = date.fromisoformat(plain["expires"]) if plain["expires"] else None
    since = date.fromisoformat(plain["since"])
    return Fact(field, value, str(plain["reason"]), source, str(plain["server"]), since, expires)


def _plain(fact: Fact) -> dict[str, Any]:
    expires = fact.expires.isoformat() if fact.expires else None
    return {**asdict(fact), "since": fact.since.isoformat(), "expires": expires}


def _warn(message: str) -> None:
    warnings.warn(message, FactsWarning, stacklevel=4)
