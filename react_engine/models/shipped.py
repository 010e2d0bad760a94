"""The shipped part of the capability table: model families by patterns on names, servers by prefixes.

``families.csv``: the first row whose pattern is found in a model's name tells what the model was trained on;
``servers.toml``: what the first part of the name (``ollama/…``) tells of the server. Both name their sources.
"""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

# Longer names are no model's; the bound keeps the worst case of the patterns small.
_LONGEST_NAME = 256
_WORDS = {"true": True, "false": False}


@dataclass(frozen=True)
class Family:
    """One row of ``families.csv``: fields of a profile for every model in whose name ``pattern`` is found."""

    pattern: str
    fields: Mapping[str, Any]
    source: str

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled pattern: it never begins in the middle of a word."""
        return re.compile(rf"(?<![a-z])(?:{self.pattern})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Server:
    """One table of ``servers.toml``. ``own_server``: with an address given, the lean client is used."""

    name: str
    fields: Mapping[str, Any]
    source: str
    own_server: bool = False
    api_base_env: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Address:
    """A model's name in its parts: ``prefix`` is a known server's or empty, ``rest`` what stands behind it."""

    prefix: str
    rest: str

    @property
    def candidates(self) -> tuple[str, ...]:
        """The texts that patterns are tried on: the model's own name before what it is filed under.

        ``meta-llama/Foo`` is no Llama because of who published it, unless nothing is known of ``Foo``;
        a file is known by its name and not by its folder.
        """
        if self.prefix == "local":
            return (re.split(r"[/\\]", self.rest)[-1].removesuffix(".gguf")[:_LONGEST_NAME],)
        last = self.rest.rpartition("/")[2]
        return tuple(dict.fromkeys((last[:_LONGEST_NAME], self.rest[:_LONGEST_NAME])))


class Shipped:
    """The shipped table: ``families`` in order, ``servers`` by prefix."""

    def __init__(self, families: tuple[Family, ...], servers: Mapping[str, Server]) -> None:
        self.families = families
        self.servers = servers

    def address(self, name: str) -> Address:
        """A model's name in its parts."""
        first, slash, rest = name.partition("/")
        prefix = first.lower()
        return Address(prefix, rest) if slash and prefix in self.servers else Address("", name)

    def family(self, address: Address) -> Family | None:
        """The first family whose pattern is found in the name."""
        for text in address.candidates:
            for family in self.families:
                if family.regex.search(text):
                    return family
        return None

    def server(self, address: Address) -> Server | None:
        """What is known of the server."""
        return self.servers.get(address.prefix)


@cache
def shipped() -> Shipped:
    """The table that comes with the package."""
    return Shipped(_families(_read("families.csv")), _servers(_read("servers.toml")))


def _read(name: str) -> str:
    return files("react_engine.models").joinpath(name).read_text(encoding="utf-8")


def _families(text: str) -> tuple[Family, ...]:
    return tuple(Family(row["pattern"], _row_fields(row), row["source"]) for row in csv.DictReader(text.splitlines()))


def _row_fields(row: Mapping[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = {"dialect": row["dialect"], "function_calling": _WORDS[row["function_calling"]]}
    pairs = [pair.strip().partition("…") for pair in re.split(r"  +| (?=<|\[)", row["reasoning"]) if pair.strip()]
    if pairs:  # without, the usual pair is kept: fine-tunes add reasoning, and it is never meant as a call
        fields["reasoning"] = tuple((opening, closing) for opening, _, closing in pairs)
    for item in row["other"].split():
        key, _, value = item.partition("=")
        fields[key] = _bounds(value) if key == "gate" else _WORDS.get(value, value)
    return fields


def _bounds(text: str) -> tuple[float, float]:
    low, _, high = text.partition("..")
    return float(low), float(high)


def _servers(text: str) -> dict[str, Server]:
    servers = {}
    for name, table in tomllib.loads(text).items():
        source, own = table.pop("source"), table.pop("own_server", False)
        aliases, variables = table.pop("aliases", ()), tuple(table.pop("api_base_env", ()))
        fields = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
        for key in (name, *aliases):
            servers[key] = Server(name, fields, source, own, variables)
    return servers
