"""Arguments against a tool: brought into shape, checked, and handed over as what the tool works with.

Both paths end here. A shape misfit is named in the same words whether the tool has types or a schema; what a
shape cannot say (limits, patterns, formats, validators of the tool's author) comes from pydantic or jsonschema.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from react_engine.errors import InvalidArguments
from react_engine.shapes import Repair, coerce, problems
from react_engine.tools.canonical import canonical
from react_engine.tools.complaints import Complaint, by_shape, to_problems
from react_engine.tools.model_errors import by_model
from react_engine.tools.schema_errors import by_schema
from react_engine.tools.tool import Tool

__all__ = ["Validated", "canonical", "validate"]


@dataclass(frozen=True, slots=True)
class Validated:
    """Arguments that fit a tool.

    ``arguments`` is what ``Tool.run`` gets: ``TypedArguments`` with Python values where the tool has a pydantic
    model, plain JSON values otherwise. ``plain`` are the JSON values in both cases, after ``repairs``.
    """

    arguments: dict[str, Any]
    repairs: tuple[Repair, ...]
    plain: dict[str, Any]


def validate(tool: Tool, arguments: Mapping[str, Any]) -> Validated:
    """The arguments as the tool takes them.

    Raises InvalidArguments with a Problem for each field that is missing, unknown or wrong: the field, what was
    expected, what came, and what to write instead.
    """
    coerced = coerce(arguments if isinstance(arguments, dict) else _as_dict(arguments), tool.shape)
    plain, model = coerced.value, None
    complaints = [] if coerced.fits else by_shape(problems(plain, tool.shape))
    if coerced.fits or _is_shallow(plain):
        if tool.arguments_model is None:
            more = by_schema(tool.checker, plain)
        else:
            model, more = by_model(tool.arguments_model, plain)
        complaints += _elsewhere(complaints, more)
    if complaints or not coerced.fits:
        raise InvalidArguments(tool.name, to_problems(complaints, tool))
    # A copy: a tool that takes things out of its arguments must not change what the transcript holds.
    return Validated(dict(plain) if model is None else tool.hand_over(model), coerced.repairs, plain)


def _is_shallow(value: Any) -> bool:
    """Whether it is nested at most six levels deep.

    On a value that does not fit, both validators try every branch of a union at every level: more is not worth it
    for a second list of complaints.
    """
    level: list[Any] = [value]
    for _ in range(6):
        level = [
            item
            for container in level
            if isinstance(container, (dict, list))
            for item in (container.values() if isinstance(container, dict) else container)
        ]
        if not level:
            return True
    return False


def _elsewhere(known: list[Complaint], more: list[Complaint]) -> list[Complaint]:
    """What the second judge has to say about places that the first has not complained about."""
    places = [complaint.path for complaint in known]
    return [
        complaint
        for complaint in more
        if not any(
            complaint.path[: len(place)] == place or place[: len(complaint.path)] == complaint.path for place in places
        )
    ]


def _as_dict(arguments: Any) -> Any:
    return dict(arguments) if isinstance(arguments, Mapping) else arguments
