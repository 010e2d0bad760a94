"""Constrained decoding on the prompt path: which form the server takes, and the request fields that carry it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from react_engine.constraints.frames import FRAMES, Order, step_grammar
from react_engine.constraints.json_steps import is_servable, step_schema
from react_engine.errors import ConfigurationError
from react_engine.labels import LabelSet
from react_engine.models.profile import ModelProfile
from react_engine.tools.tool import Tool

_CHOSEN = ("argument", "environment", "config")


def constraint_form(profile: ModelProfile, dialect: str = "react") -> str | None:
    """The form in use with a model that is asked in ``dialect``, or None.

    Raises ConfigurationError when a constraint was asked for by the user and there is no grammar for the dialect, or
    the server is not known to take any.
    """
    if profile.constraint == "off":
        return None
    source = profile.sources.get("constraint")
    if dialect not in FRAMES:
        if source is None or source.kind in _CHOSEN:
            raise ConfigurationError(
                f"A constraint is asked for ({source or 'the record'}), but {profile.name} is asked in the dialect "
                f"{dialect!r}, and grammars are there only for: {', '.join(FRAMES)}. "
                'Set dialect = "react", or constraint = "off".'
            )
        return None
    if profile.constraint != "on":
        return profile.constraint
    if profile.constraints:
        return profile.constraints[0]
    if source is not None and source.kind in _CHOSEN:
        raise ConfigurationError(
            f"A constraint is asked for ({source}), but nothing says that the server of {profile.name} takes one. "
            'Name the form: constraint = "gbnf" (llama.cpp), "json_schema" or "structured_outputs" (vLLM).'
        )
    return None


class Constraint:
    """The constraint of one path: request fields for each tool choice, made once.

    ``form`` is the form in use, None for none. ``begun`` says that requests end in the label of the thought.
    """

    def __init__(
        self,
        form: str | None,
        profile: ModelProfile,
        tools: Sequence[Tool],
        labels: LabelSet,
        *,
        begun: bool = False,
    ) -> None:
        self.form = form
        self._tools, self._labels, self._begun = tuple(tools), labels, begun
        self._several = profile.parallel_calls
        self._made: dict[str, Mapping[str, Any]] = {}

    def fields(self, choice: str) -> Mapping[str, Any]:
        """What goes into the body of a request whose reply may be an answer, a call, or both, as ``choice`` says."""
        if self.form is None:
            return {}
        if choice not in self._made:
            order = Order(self._tools, self._labels, choice, self._begun, self._several)
            self._made[choice] = _fields(self.form, order)
        return self._made[choice]


def _fields(form: str, order: Order) -> Mapping[str, Any]:
    if form == "json_schema":
        if not all(map(is_servable, order.tools)):
            return {}
        described = {"name": "step", "schema": step_schema(order), "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": described}}
    grammar = step_grammar(order)
    if form == "structured_outputs":  # vLLM docs: structured outputs; its grammars are in GBNF as well
        return {"structured_outputs": {"grammar": grammar}}
    return {"grammar": grammar}
