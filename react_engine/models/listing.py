"""What there is to choose from: the user's own models, those that run here, families and servers that are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from react_engine.models.catalogue import catalogue
from react_engine.models.weights import is_here

if TYPE_CHECKING:
    from react_engine.models.table import CapabilityTable


@dataclass(frozen=True, slots=True)
class Listed:
    """One entry. ``name`` is a name, a pattern or a prefix; ``size`` is in bytes and ``here`` says whether the
    weights are on this machine, for local models; ``function_calling`` is None where the entry does not say.
    """

    name: str
    kind: Literal["config", "local", "family", "server"]
    function_calling: bool | None = None
    dialect: str | None = None
    size: int | None = None
    here: bool | None = None
    note: str = ""


def list_models(table: CapabilityTable) -> list[Listed]:
    """The user's models, local models, families in the order in which they are tried, and servers."""
    entries: list[Listed] = []
    for record in table.records:
        calling = record.fields.get("function_calling")
        spoken = calling if isinstance(calling, bool) else None
        entries.append(Listed(record.pattern, "config", spoken, record.fields.get("dialect"), note=str(record.source)))
    for weights in catalogue().values():
        name = f"local/{weights.name}"
        profile = table.profile(name)
        calling = bool(profile.function_calling)
        note = f"{weights.title}, {weights.license}"
        entries.append(Listed(name, "local", calling, profile.dialect, weights.size, is_here(weights), note))
    for family in table.shipped.families:
        said = family.fields
        entries.append(Listed(family.pattern, "family", said["function_calling"], said["dialect"], note=family.source))
    for prefix, server in table.shipped.servers.items():
        where = server.fields.get("api_base") or f"client {server.fields['client']}"
        entries.append(Listed(f"{prefix}/", "server", note=f"{where}; {server.source}"))
    return entries
