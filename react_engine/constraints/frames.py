"""The step of a dialect as a grammar: what may stand where in a reply, from the record that prompts and reader have.

The patterns of the record's ``writing`` say how thought, calls and answer are written, its ``template`` how arguments
are. What the record does not say is how free text may be: that is a question of what the reader takes for a call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from react_engine.constraints.arguments import CODECS, arguments_rule
from react_engine.constraints.free_text import THOUGHT, answer, marked_answer, prose, thinking
from react_engine.constraints.grammar import Rule, Rules, choice, filled, literal, optional, repeated, sequence
from react_engine.constraints.notations import JSON
from react_engine.labels import LabelSet
from react_engine.parsers.dialects import DIALECTS, Dialect, Writing
from react_engine.parsers.dialects.writing import THINK
from react_engine.parsers.reasoning import MARKERS
from react_engine.tools.tool import Tool

SEVERAL = 4
"""Calls of one reply."""
_SURROUNDED = ("marked", "labels")
"""Frames in which words may stand in front of calls whatever the words are."""
# A thought behind a label is prose on one line: no fence, no marker, no JSON, so that nothing in it is taken for a step.
_PROSE_BEGIN = r"[^\x00-\x20\x7f`<{\[|]"
_PROSE = r"[^\x00-\x1f\x7f`<{\[|]"


@dataclass(frozen=True, slots=True)
class Order:
    """What a reply may hold.

    ``tools`` are those on offer, ``choice`` is ``"auto"``, ``"required"``, ``"none"`` or the name of a tool.
    ``begun``: the request ends in the label of the thought, and the reply goes on behind it. ``several``: more than
    one call may stand in a reply. ``labels`` are those of ReAct in the language of the prompt; ``thoughts``: in
    ReAct a thought stands in front of a step.
    """

    tools: tuple[Tool, ...]
    labels: LabelSet
    choice: str = "auto"
    begun: bool = False
    several: bool = False
    thoughts: bool = True

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


def has_grammar(dialect: Dialect) -> bool:
    """Whether there is a grammar for the dialect: prompts can ask for it, and a shipped template writes arguments."""
    return dialect.taught and dialect.template in CODECS


def step_grammar(order: Order, dialect: Dialect = DIALECTS["react"]) -> str:
    """A grammar in GBNF for the next reply: a thought, then calls or the answer."""
    if dialect.writing is None or not has_grammar(dialect):
        raise AssertionError(f"no grammar for {dialect.name}")
    rules = Rules()
    if dialect.name == "react":
        writing = _react(order.labels, order.thoughts)
        frame: _Frame = _Labelled(rules, order, dialect, writing)
    elif dialect.frame == "labels" and not dialect.writing.thought.startswith("$"):
        frame = _Labelled(rules, order, dialect, dialect.writing)
    else:
        frame = _Frame(rules, order, dialect, dialect.writing)
    return rules.text(frame.step())


def _react(labels: LabelSet, thoughts: bool) -> Writing:
    """How ReAct is written with the labels of a language."""
    return Writing(
        call=f"{labels.action}: $name\n{labels.action_input}: $arguments",
        thought=f"{labels.thought}: $thought\n" if thoughts else "",
        answer=f"{labels.final_answer}: $answer",
    )


class _Frame:
    """A reply without labels: maybe a thought, then calls or an answer."""

    def __init__(self, rules: Rules, order: Order, dialect: Dialect, writing: Writing) -> None:
        self.rules, self.order, self.dialect, self.writing = rules, order, dialect, writing

    def step(self) -> Rule:
        """The reply."""
        ends: list[Rule] = []
        if self.order.callable_tools:
            ends.append(sequence((self.lead(), self.calls())))
        if self.order.may_answer:
            ends.append(self.answer())
        return sequence((self.thought(), choice(self.rules.rule("end", end) for end in ends)))

    def thought(self) -> Rule:
        """A thought between markers: the dialect's own, or those that any model may use."""
        pattern = THINK if self.writing.thought.startswith("$") else self.writing.thought
        openers = [opener for opener, _ in (*MARKERS, *self.dialect.reasoning, *self.dialect.channels)]
        text = thinking if pattern.startswith(tuple(openers)) else prose
        return optional(self.rules.rule("thought", filled(pattern, {"thought": text(self.rules)})))

    def lead(self) -> Rule:
        """What may be said in front of calls: a line, where a marker shows where they begin."""
        line = sequence((prose(self.rules), literal("\n")))
        return optional(line) if self.dialect.frame in _SURROUNDED else ""

    def calls(self) -> Rule:
        """The calls, and what stands around them."""
        writing = self.writing
        most = SEVERAL if self.order.several and writing.parallel else 1
        further = [""] * (most + 1)  # what may follow in front of the call of this number
        for number in reversed(range(1, most)):
            begun = sequence((literal(writing.between), self._call(number), further[number + 1]))
            further[number] = self.rules.rule("further", optional(begun))
        one = self._call(0)
        if not writing.several or most == 1:
            return filled(writing.calls, {"calls": sequence((one, further[1]))})
        two = sequence((one, literal(writing.between), self._call(1), further[2]))
        return choice((filled(writing.calls, {"calls": one}), filled(writing.several, {"calls": two})))

    def _call(self, number: int) -> Rule:
        """The call at one place of the reply."""
        calls = []
        for tool in self.order.callable_tools:
            words = {
                "name": literal(tool.name),
                "quoted": JSON.constant(tool.name),
                "arguments": arguments_rule(self.rules, tool, self.dialect) or literal(""),
                "id": repeated("[a-z0-9]", *(self.writing.id_length or 1,) * 2),
                "number": literal(str(number)),
                "order": literal(str(number + 1)),
            }
            calls.append(self.rules.rule(f"call-{tool.name}", filled(self.writing.call, words)))
        return self.rules.rule("call", choice(calls))

    def answer(self) -> Rule:
        """The answer: text that is taken for nothing else."""
        return self._answer(lambda: answer(self.rules))

    def _answer(self, text: Callable[[], Rule]) -> Rule:
        pattern = self.writing.answer
        if "$quoted" in pattern:
            return filled(pattern, {"quoted": f'"\\"" {JSON.character(self.rules)}+ "\\""', "answer": ""})
        return filled(pattern, {"answer": text()})


class _Labelled(_Frame):
    """A reply in labels: a thought on one line, and an answer that may be nearly anything."""

    def thought(self) -> Rule:
        """The thought, behind its label or behind the one that the request ends in; nothing where none is asked for."""
        if not self.writing.thought:
            return ""
        text = f"{_PROSE_BEGIN} {repeated(_PROSE, 0, THOUGHT)}"
        written = self.writing.thought
        if self.order.begun:
            written = " " + written[written.index("$thought") :]
        return self.rules.rule("thought", filled(written, {"thought": text}))

    def lead(self) -> Rule:
        """Nothing: the thought is what is said."""
        return ""

    def calls(self) -> Rule:
        """The calls; the stop word behind them is a way out."""
        way_out = self.order.labels.observation
        return sequence((super().calls(), optional(literal(f"\n{way_out}:"))))

    def answer(self) -> Rule:
        """The answer behind its label."""
        return self._answer(lambda: marked_answer(self.rules))
