"""The capability table: how the engine speaks with a model, field by field, and who says so.

For each field the first that speaks decides:

1. the arguments of the call, and the settings that hold for every model;
2. the environment (``REACT_ENGINE_MODELS``);
3. the user's ``react-engine.toml``: a model's exact name before patterns, a pattern with more literal characters
   before one with fewer, the later before the earlier;
4. for the address of a server, its own variable (``OLLAMA_API_BASE``, …);
5. what a run learned or a probe measured on this server, until it expires;
6. the shipped table: what was measured or is documented of model families and of servers;
7. litellm's own map, for models that it reaches and nothing above knows: a hint, often wrong;
8. the defaults of ``ModelProfile``, and the prompt path, which works with any model.

``function_calling = "auto"`` says nothing and leaves the field to the next one. A ``constraint`` that was measured (5, 6)
was measured in the dialect that stands there: where the user chose another, it says nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from react_engine.models.address import shown_base
from react_engine.models.catalogue import catalogue
from react_engine.models.facts import LIFETIME, Fact, FactStore, Kind
from react_engine.models.profile import ModelProfile, Source
from react_engine.models.record import FIELD_NAMES, Record, checked_fields, matching
from react_engine.models.shipped import Address, Family, Server, Shipped, shipped

if TYPE_CHECKING:
    from react_engine.settings import Settings

Hint = Callable[[str], bool | None]
Layer = tuple[Mapping[str, Any], Source]

_RANK = {"argument": 0, "environment": 1}  # records of these go before those of the file
_PROMPT = Source("default", "nothing is known of the model, and the prompt path works with any")


def litellm_hint(name: str) -> bool | None:
    """What litellm's own map says of function calling; the map is read without importing litellm."""
    from react_engine.models.litellm_map import hint

    return hint(name)


class CapabilityTable:
    """Resolves the name of a model to its profile.

    ``user_models``: records, or names and patterns with their fields; ``always``: fields for every model, before
    its records; ``learned``: where facts are kept, None for nowhere; ``known``: the shipped table;
    ``hint``: asked last about models behind litellm, None for never; ``sampling``: parameters for models whose
    records say nothing of them. Raises ``ConfigurationError`` for fields that cannot be used.
    """

    def __init__(
        self,
        user_models: Iterable[Record] | Mapping[str, Mapping[str, Any]] = (),
        *,
        always: Layer | None = None,
        learned: FactStore | None = None,
        known: Shipped | None = None,
        hint: Hint | None = litellm_hint,
        sampling: Layer | None = None,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self.records = tuple(_records(user_models))
        self.learned = learned
        self.shipped = known or shipped()
        self._always = [always] if always else []
        self._hint = hint
        self._sampling: list[Layer] = [({"sampling": sampling[0]}, sampling[1])] if sampling else []
        self._environ = environ

    def profile(self, name: str, overrides: Mapping[str, Any] | None = None) -> ModelProfile:
        """What is known of a model. Any name has a profile; ``function_calling`` is True or False in it.

        Raises ``ConfigurationError`` for overrides that no profile takes.
        """
        address = self.shipped.address(name)
        server, family = self.shipped.server(address), self.shipped.family(address)
        layers = self._said(name, overrides)
        layers += self._address_in_environment(server)
        base, told = _first(layers, "api_base")
        own = base is not None and (server is None or server.own_server)
        layers += self._facts(name, base or (server.fields.get("api_base") if server else None))
        layers += _shipped_layers(address, family, server, told if own else None)
        if family is None and self._hint is not None and _first(layers, "client")[0] in (None, "litellm"):
            said = self._hint(name)
            if said is not None:
                layers.append(({"function_calling": said}, Source("litellm", "its model map")))
        return _resolved(name, address, layers + self._sampling)

    def remember(
        self,
        name: str,
        field: str,
        value: Any,
        reason: str,
        source: Kind = "learned",
        server: str | None = None,
        lifetime: timedelta | None = LIFETIME,
    ) -> None:
        """Keep a fact about a model, at the server with the address ``server``, or at any."""
        if self.learned is not None:
            self.learned.remember(name, field, value, reason, source, _place(server), lifetime)

    def forget(self, name: str | None = None) -> int:
        """Drop the facts about a model, or about all; returns how many."""
        return self.learned.forget(name) if self.learned is not None else 0

    def facts(self, name: str) -> tuple[Fact, ...]:
        """What was learned of a model or measured, at any server, and has not expired."""
        return self.learned.facts(name) if self.learned is not None else ()

    def _said(self, name: str, overrides: Mapping[str, Any] | None) -> list[Layer]:
        layers: list[Layer] = []
        if overrides:
            layers.append((checked_fields(overrides, f"Arguments for the model {name!r}"), Source("argument")))
        layers += self._always
        meant = sorted(matching(self.records, name), key=lambda record: _RANK.get(record.source.kind, len(_RANK)))
        layers += [(record.fields, record.source) for record in meant]
        return layers

    def _address_in_environment(self, server: Server | None) -> list[Layer]:
        for variable in server.api_base_env if server else ():
            value = self._environ.get(variable, "").strip()
            if value:
                found: dict[str, Any] = {"api_base": value}
                if server and server.own_server and "api_key_env" in server.fields:
                    found["api_key_env"] = server.fields["api_key_env"]  # the variables belong together
                return [(found, Source("environment", variable))]
        return []

    def _facts(self, name: str, base: str | None) -> list[Layer]:
        place = _place(base)
        facts = [fact for fact in self.facts(name) if fact.server in ("", place)]
        facts.sort(key=lambda fact: (fact.server != "", fact.since), reverse=True)
        return [({fact.field: fact.value}, Source(fact.source, str(fact))) for fact in facts]


@cache
def default_table() -> CapabilityTable:
    """The table without settings of the user: the shipped one, and what was learned."""
    return CapabilityTable(learned=FactStore())


def table_for(settings: Settings) -> CapabilityTable:
    """The table with the user's settings, and what was learned."""
    always = None
    if settings.dialect is not None:
        always = ({"dialect": settings.dialect}, settings.sources["dialect"])
    sampling = (settings.sampling, settings.source_of("sampling")) if settings.sampling else None
    return CapabilityTable(settings.models, always=always, learned=FactStore(), sampling=sampling)


def explain(profile: ModelProfile) -> list[tuple[str, Any, Source]]:
    """Every field of a profile with its value and who decided it; sampling parameters one by one.

    People show this to each other: the address of the server comes without a password in it.
    """
    rows: list[tuple[str, Any, Source]] = []
    for field in FIELD_NAMES:
        if field == "sampling":
            rows += [
                (f"sampling.{key}", value, _source(profile, f"sampling.{key}"))
                for key, value in profile.sampling.items()
            ]
        else:
            value = getattr(profile, field)
            shown = shown_base(value) if field == "api_base" and value else value
            rows.append((field, shown, _source(profile, field)))
    return rows


def _source(profile: ModelProfile, field: str) -> Source:
    return profile.sources.get(field, Source("argument"))


def _records(given: Iterable[Record] | Mapping[str, Mapping[str, Any]]) -> Iterator[Record]:
    if isinstance(given, Mapping):
        for name, said in given.items():
            where, source = f"The record of the model {name!r}", Source("config", f"models.{name}")
            yield Record(str(name), checked_fields(said, where), source)
    else:
        yield from given


def _shipped_layers(address: Address, family: Family | None, server: Server | None, own: Source | None) -> list[Layer]:
    layers: list[Layer] = []
    if own is not None:  # an OpenAI-shaped server of the user's own: the lean client, and no other provider's key
        layers.append(({"client": "http", "api_key_env": None}, Source(own.kind, f"has an api_base, {own.detail}")))
    if family is not None:
        layers.append((family.fields, Source("shipped", f"{family.source}; pattern {family.pattern}")))
    if address.prefix == "local" and address.rest.lower() in catalogue():
        weights = catalogue()[address.rest.lower()]
        layers.append(({"context_length": weights.context_length}, Source("shipped", "the catalogue of local models")))
    if server is not None:
        layers.append((server.fields, Source("shipped", f"{server.source}; prefix {server.name}/")))
    return layers


def _first(layers: Sequence[Layer], field: str) -> tuple[Any, Source]:
    for said, source in layers:
        if field in said and said[field] != "auto":
            return said[field], source
    return None, Source("default")


def _resolved(name: str, address: Address, layers: Sequence[Layer]) -> ModelProfile:
    values: dict[str, Any] = {}
    sources: dict[str, Source] = {}
    for field in FIELD_NAMES:
        if field == "sampling":
            continue
        if any(field in said and said[field] != "auto" for said, _ in layers):
            values[field], sources[field] = _first(layers, field)
        else:
            sources[field] = Source("default")
    if "constraint" in values and not sources["constraint"].chosen and sources["dialect"].chosen:
        measured_in = _first([layer for layer in layers if not layer[1].chosen], "dialect")[0] or "react"
        if values["dialect"] != measured_in:
            values["constraint"] = "off"
            sources["constraint"] = Source("default", f"{values['dialect']} was chosen, measured was {measured_in}")
    sampling: dict[str, Any] = {}
    for said, source in layers:
        for key, value in said.get("sampling", {}).items():
            if key not in sampling:
                sampling[key], sources[f"sampling.{key}"] = value, source
    if "function_calling" not in values:
        values["function_calling"], sources["function_calling"] = False, _PROMPT
    if "served_name" not in values:
        remote = values.get("client", "litellm") == "litellm"
        values["served_name"] = name if remote else address.rest
        sources["served_name"] = Source(
            "default", "its name" if remote or not address.prefix else "its name without the server's"
        )
    sources["sampling"] = Source("default") if not sampling else next(sources[f"sampling.{key}"] for key in sampling)
    return ModelProfile(name, **values, sampling=sampling, sources=sources)


def _place(base: str | None) -> str:
    """An address as facts know it: without credentials, without the version at its end."""
    if not base:
        return ""
    try:
        url = urlsplit(base if "://" in base else f"http://{base}")
    except ValueError:
        return base
    path = url.path.rstrip("/").removesuffix("/v1")
    return url._replace(netloc=url.netloc.rpartition("@")[2], path=path, query="", fragment="").geturl()
