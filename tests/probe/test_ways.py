"""The ways to speak with a model that a probe tries."""

from __future__ import annotations

import pytest

from react_engine.compare.variants import form_named
from react_engine.models.profile import ModelProfile
from react_engine.probe.probing import plausible_ways


@pytest.mark.parametrize(
    ("dialect", "constraints", "held"),
    [
        ("hermes", ("gbnf", "json_schema"), ["hermes + constraint", "react + constraint", "json"]),
        ("hermes", ("json_schema",), ["json"]),
        ("hermes", (), []),
        ("react", ("gbnf",), ["react + constraint"]),
        ("harmony", ("gbnf",), ["react + constraint"]),
    ],
)
def test_a_trained_dialect_is_tried_with_a_grammar_where_the_server_takes_one(
    dialect: str, constraints: tuple[str, ...], held: list[str]
) -> None:
    ways = plausible_ways(ModelProfile("m", dialect=dialect, constraints=constraints))
    assert [way.name for way in ways if way.constraint != "off"] == held


def test_a_trained_dialect_is_compared_with_a_constraint_where_the_server_takes_a_grammar() -> None:
    assert form_named("hermes").can_be_held(("gbnf",))
    assert not form_named("hermes").can_be_held(("json_schema",))
    assert form_named("json").can_be_held(("json_schema",))
