"""A case in the making, and the register of mutators that make it worse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random
from typing import Any, Literal

from react_engine.fuzz.forms import Form
from react_engine.fuzz.generate import Schema, make_value
from react_engine.fuzz.meaning import Call, Reply, Survival, Tool
from react_engine.fuzz.render import TRAINED, Habits, can_say, render
from react_engine.fuzz.sample import Sample

Stage = Literal["meaning", "writing", "text"]
"""When a mutator works: on what is meant, on how it is written, or on the written text."""


@dataclass(frozen=True)
class Draft:
    """A reply on its way to becoming a case. ``sample`` is None until it is written."""

    tools: list[Tool]
    reply: Reply
    dialect: str
    form: Form
    habits: Habits = TRAINED
    sample: Sample | None = None
    survival: Survival = Survival.RECOVER
    expected: tuple[Call, ...] | None = None
    finish: str = "stop"
    prose: bool = False
    """Whether the text holds nothing that damage could turn into a call."""

    @cached_property
    def written(self) -> Sample:
        """The text so far."""
        return self.sample if self.sample is not None else render(self.form, self.reply, self.habits)

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls to be read, in order."""
        return self.reply.calls if self.expected is None else self.expected

    @property
    def json(self) -> bool:
        """Whether arguments are written as JSON."""
        return self.form.codec in ("json", "body")

    @property
    def labelled(self) -> bool:
        """Whether the dialect writes ReAct labels with the input on a line of its own."""
        return self.dialect in ("react", "react_answer", "toolllama_react")

    @property
    def known(self) -> bool:
        """Whether there are calls, and all of them of tools on offer."""
        names = {tool["name"] for tool in self.tools}
        return bool(self.reply.calls) and all(call.name in names for call in self.reply.calls)

    @property
    def declared(self) -> bool:
        """Whether the tools declare all arguments that are given."""
        return self.known and all(
            set(call.arguments) <= set(self.tool(call.name)["parameters"].get("properties", {}))
            for call in self.reply.calls
        )

    def sayable(self) -> bool:
        """Whether the dialect can write this reply."""
        return can_say(self.form, self.reply, self.tools)

    def tool(self, name: str) -> Tool:
        """The tool of a name; one that takes nothing where it is not on offer."""
        nothing: Tool = {"name": name, "parameters": {"type": "object", "properties": {}, "required": []}}
        return next((tool for tool in self.tools if tool["name"] == name), nothing)

    def but(self, **changes: Any) -> Draft:
        """The draft with other fields."""
        return replace(self, **changes)

    def with_text(self, text: str) -> Draft:
        """The draft with a text of its own, whose parts are not known."""
        return replace(self, sample=Sample(text))

    def with_habits(self, **changes: Any) -> Draft:
        """The draft with other habits of writing."""
        return replace(self, habits=replace(self.habits, **changes))

    def with_calls(self, *calls: Call) -> Draft:
        """The draft with other calls meant."""
        return replace(self, reply=replace(self.reply, calls=calls))

    def weaker(self, survival: Survival) -> Draft:
        """The draft with what also this damage leaves."""
        return replace(self, survival=combined(self.survival, survival, self.prose))

    def with_value(self, rng: Random, value: Any, schema: Schema, where: int | None = None) -> Draft:
        """One call has an argument of this value: one whose schema is the same, or a new one of its tool."""
        number = rng.randrange(len(self.reply.calls)) if where is None else where
        call = self.reply.calls[number]
        tool = self.tool(call.name)
        properties = tool["parameters"].get("properties", {})
        fitting = [name for name, below in properties.items() if below == schema]
        name = rng.choice(fitting) if fitting else next(n for n in _SPARE if n not in properties)
        parameters = {**tool["parameters"], "properties": {**properties, name: schema}}
        tools = [{**tool, "parameters": parameters} if other is tool else other for other in self.tools]
        calls = list(self.reply.calls)
        calls[number] = Call(call.name, {**call.arguments, name: value})
        return replace(self, tools=tools, reply=replace(self.reply, calls=tuple(calls)))

    def with_random(self, rng: Random, schema: Schema) -> Draft:
        """One call has an argument of this schema, with an ordinary value."""
        return self.with_value(rng, make_value(rng, schema, 0.0), schema)


_SPARE = ("memo", "remark", "label_text", "reference", "detail", "extra_note", "caption")

Mutation = Callable[[Draft, Random], Draft | None]
"""Does damage, or says None where it cannot be done."""


@dataclass(frozen=True, slots=True)
class Mutator:
    """A named way of going wrong.

    ``survival`` is what it leaves at best; the damage itself may say less for a case. Of one ``group`` a case
    gets one mutator.
    """

    name: str
    stage: Stage
    group: str
    survival: Survival
    mutate: Mutation
    describes: str
    rare: bool = field(default=False)


MUTATORS: dict[str, Mutator] = {}
"""All mutators by name."""


def mutator(
    name: str, stage: Stage, group: str, survival: Survival = Survival.RECOVER, *, rare: bool = False
) -> Callable[[Mutation], Mutation]:
    """Register a mutator; its docstring is its description."""

    def register(mutate: Mutation) -> Mutation:
        if name in MUTATORS:
            raise ValueError(f"There are two mutators named {name}.")
        described = (mutate.__doc__ or "").strip()
        MUTATORS[name] = Mutator(name, stage, group, survival, mutate, described, rare)
        return mutate

    return register


def combined(one: Survival, other: Survival, prose: bool = False) -> Survival:
    """What two kinds of damage leave together. In prose there never was a call, whatever becomes of it."""
    both = {one, other}
    if prose and Survival.REFUSE in both:
        return Survival.REFUSE
    for survival in (Survival.FREE, Survival.REFUSE, Survival.EITHER):
        if survival in both:
            return survival
    return Survival.RECOVER
