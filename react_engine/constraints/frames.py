"""The step of a dialect as a grammar: what may stand where in a reply, by the frame in which the prompt asks for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from react_engine.constraints.grammar import Rule, Rules, choice, literal, optional, repeated, sequence
from react_engine.constraints.values import arguments_rule
from react_engine.labels import LabelSet
from react_engine.tools.tool import Tool

THOUGHT = 400
"""Characters of a thought."""
SEVERAL = 4
"""Calls of one reply."""
# A thought is prose on one line: no fence, no marker, no JSON, so that nothing in it is taken for a step.
_PROSE_BEGIN = r"[^\x00-\x20\x7f`<{\[|]"
_PROSE = r"[^\x00-\x1f\x7f`<{\[|]"
# An answer may be anything, but no object, which could be a step, and no marker of reasoning, which would hide it.
_ANSWER_BEGIN = r"[^\x00-\x20\x7f<{\[]"
_ANSWER = r'([^\x00-\x08\x0b-\x1f\x7f<] | "<" [^\x00-\x08\x0b-\x1f\x7ftTrR|<])*'


@dataclass(frozen=True, slots=True)
class Order:
    """What a reply may hold.

    ``tools`` are those on offer, ``choice`` is ``"auto"``, ``"required"``, ``"none"`` or the name of a tool.
    ``begun``: the request ends in the label of the thought, and the reply goes on behind it. ``several``: more than
    one call may stand in a reply.
    """

    tools: tuple[Tool, ...]
    labels: LabelSet
    choice: str = "auto"
    begun: bool = False
    several: bool = False

    @property
    def callable_tools(self) -> tuple[Tool, ...]:
        """The tools that may be called now."""
        if self.choice == "none":
            return ()
        named = tuple(tool for tool in self.tools if tool.name == self.choice)
        return named or self.tools

    @property
    def may_answer(self) -> bool:
        """Whether a reply without a call is allowed. Without tools nothing else is."""
        return self.choice in ("auto", "none") or not self.tools


def react_step(order: Order) -> str:
    """ReAct text: a thought on one line, then calls or the answer."""
    rules, labels = Rules(), order.labels
    thought = rules.rule("thought", f'{_PROSE_BEGIN} {repeated(_PROSE, 0, THOUGHT)} "\\n"')
    opening = literal(" " if order.begun else f"{labels.thought}: ")
    ends: list[Rule] = []
    if order.callable_tools:
        ends.append(_react_calls(rules, order))
    if order.may_answer:
        ends.append(f"{literal(f'{labels.final_answer}: ')} {_ANSWER_BEGIN} {_ANSWER}")
    return rules.text(sequence((opening, thought, choice(rules.rule("end", end) for end in ends))))


def _react_calls(rules: Rules, order: Order) -> Rule:
    labels = order.labels
    calls = [
        rules.rule(
            f"call-{tool.name}",
            sequence((literal(f"{tool.name}\n{labels.action_input}: "), arguments_rule(rules, tool))),
        )
        for tool in order.callable_tools
    ]
    call = rules.rule("call", sequence((literal(f"{labels.action}: "), choice(calls))))
    more = repeated(sequence((literal("\n"), call)), 0, SEVERAL - 1) if order.several else ""
    return sequence((call, more, optional(literal(f"\n{labels.observation}:"))))  # the stop word: a way out


FRAMES: dict[str, Callable[[Order], str]] = {"react": react_step}
"""Grammars by the stem of the prompt templates (``Dialect.template``)."""


def step_grammar(order: Order, template: str = "react") -> str:
    """A grammar in GBNF for the next reply."""
    return FRAMES[template](order)
