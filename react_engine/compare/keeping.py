"""``compare --write``: the variant that did best becomes what the capability table says of the model."""

from __future__ import annotations

from react_engine.compare.summary import Row
from react_engine.models.table import CapabilityTable


def keep(best: Row, table: CapabilityTable) -> dict[str, object]:
    """Write the winner into the table as measured; gives the fields that were written.

    Only what the table has a field for is kept: language and rendering are settings of the engine.
    """
    variant = best.variant
    fields = dict(variant.profile_fields())
    if variant.path == "native":
        fields.pop("constraint")
    reason = f"compared: {variant.label} did {best.done:.0%} of {best.tasks} tasks"
    profile = table.profile(variant.model)
    for name, value in fields.items():
        table.remember(variant.model, name, value, reason, "probe", profile.api_base)
    return fields
