"""Constrained decoding on the prompt path: which form the server takes, and the request fields that carry it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from react_engine.constraints.frames import Order, has_grammar, step_grammar
from react_engine.constraints.json_steps import is_servable, step_schema
from react_engine.errors import ConfigurationError
from react_engine.labels import LabelSet
from react_engine.models.profile import ModelProfile
from react_engine.parsers.dialects import Dialect, dialect_named
from react_engine.tools.tool import Tool

_KEPT = 32
"""Constraints that are kept of one path."""


def constraint_form(profile: ModelProfile, dialect: str = "react") -> str | None:
    """The form in use with a model that is asked in ``dialect``, or None.

    Raises ConfigurationError when a constraint was asked for by the user and there is none for the dialect, or the
    server is not known to take any.
    """
    if profile.constraint == "off":
        return None
    forms = profile.constraints if profile.constraint == "on" else (profile.constraint,)
    if usable := [form for form in forms if can_be_held(dialect, form)]:
        return usable[0]
    source = profile.sources.get("constraint")
    if source.chosen if source is not None else forms or not can_be_held(dialect):
        raise ConfigurationError(_nothing_to_hold(profile, dialect, f"{source or 'the record'}"))
    return None


def can_be_held(dialect: str, form: str = "gbnf") -> bool:
    """Whether replies in a dialect can be held to a form: grammars are there for most, a JSON Schema for ReAct alone."""
    return dialect == "react" or (form != "json_schema" and has_grammar(dialect_named(dialect)))


def _nothing_to_hold(profile: ModelProfile, dialect: str, asked_by: str) -> str:
    wish = f"A constraint is asked for ({asked_by}), but "
    if not can_be_held(dialect):
        return (
            f"{wish}{profile.name} is asked in the dialect {dialect!r}, for which there is no grammar. "
            'Set another dialect, or constraint = "off".'
        )
    if profile.constraint == "json_schema" or profile.constraints:
        return (
            f"{wish}{profile.name} is asked in the dialect {dialect!r}, for which there is a grammar, but no JSON Schema. "
            'Set dialect = "react", or constraint = "off", or "gbnf" or "structured_outputs" if the server takes it.'
        )
    return (
        f"{wish}nothing says that the server of {profile.name} takes one. "
        'Name the form: constraint = "gbnf" (llama.cpp), "json_schema" or "structured_outputs" (vLLM).'
    )


class Constraint:
    """The constraint of one path: request fields for each tool choice, made once.

    ``form`` is the form in use, None for none; ``dialect`` the one that the prompt asks for. ``begun`` says that requests
    end in the label of the thought, ``thoughts`` that steps have one.
    """

    def __init__(
        self,
        form: str | None,
        profile: ModelProfile,
        tools: Sequence[Tool],
        labels: LabelSet,
        *,
        dialect: str = "react",
        begun: bool = False,
        thoughts: bool = True,
    ) -> None:
        self.form, self._dialect = form, dialect_named(dialect)
        self._tools, self._labels, self._begun = tuple(tools), labels, begun
        self._thoughts = thoughts
        self._several = profile.parallel_calls
        self._made: dict[tuple[str, frozenset[str]], Mapping[str, Any]] = {}

    def fields(self, choice: str, without: frozenset[str] = frozenset()) -> Mapping[str, Any]:
        """What goes into the body of a request whose reply may be an answer, a call, or both, as ``choice`` says.

        The tools of ``without`` are left out, unless no other may be called.
        """
        if self.form is None:
            return {}
        if without and (choice in without or without.issuperset(tool.name for tool in self._tools)):
            without = frozenset()
        key = choice, without
        if key not in self._made:
            tools = tuple(tool for tool in self._tools if tool.name not in without)
            order = Order(tools, self._labels, choice, self._begun, self._several, self._thoughts)
            made = _fields(self.form, order, self._dialect)
            if len(self._made) >= _KEPT:
                self._made.clear()
            self._made[key] = made
        return self._made[key]


def _fields(form: str, order: Order, dialect: Dialect) -> Mapping[str, Any]:
    if form == "json_schema":
        if not all(map(is_servable, order.tools)):
            return {}
        described = {"name": "step", "schema": step_schema(order), "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": described}}
    grammar = step_grammar(order, dialect)
    if form == "structured_outputs":  # vLLM docs: structured outputs; its grammars are in GBNF as well
        return {"structured_outputs": {"grammar": grammar}}
    return {"grammar": grammar}
