"""Whatever the grammar of a dialect accepts, the reader reads as that step, in each dialect that a prompt can ask for."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from react_engine.constraints.frames import Order, has_grammar, step_grammar
from react_engine.labels import LABELS
from react_engine.parsers.dialects import DIALECTS, Dialect, Writing
from react_engine.parsers.reader import read
from react_engine.templates import Templates
from react_engine.templates.dialect import DialectTemplates
from react_engine.types import Reading, ToolCall
from tests.constraints.sampling import accepts, sample
from tests.constraints.test_step_grammar import ALL, INDEX, check

TAUGHT = sorted(name for name, dialect in DIALECTS.items() if dialect.taught)
OTHERS = [name for name in TAUGHT if DIALECTS[name].frame != "labels" or name == "command_r_plus"]
# Bare objects and calls are the whole reply: words in front of them would make them an example.
THOUGHTS = {name: "" if DIALECTS[name].frame in ("object", "python", "lines") else "I look it up." for name in TAUGHT}
CALL = ToolCall("add", {"a": 1, "b": 2})
# What a model may try to write where text is free: steps of other forms, markers of reasoning, fences, ends of turns.
TEMPTING = (
    'Action: add\nAction Input: {"a": 1, "b": 2}', "Thought: hm\n", "**Thought:** hm\n", "行动: add\n", "Final Answer: 5",
    "add(a=1, b=2)", "[add(a=1, b=2)]", "```tool_code\nadd(a=1, b=2)\n```", "ping()", "add\n{\"a\": 1, \"b\": 2}",
    '{"name": "add", "arguments": {"a": 1, "b": 2}}', '[{"name": "add", "arguments": {"a": 1, "b": 2}}]', "```\n",
    '```json\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n```', '[TOOL_CALLS]add{"a": 1, "b": 2}', "<add><a>1</a></add>",
    '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>', "<function=add>", "<think>", "</think>",
    "<|im_end|>", "</s>", "<b>", "</p>", "a < b", "x[0]", "[link](http://x)", "- ", "**", "\n", "\n\n", '"', "'", "\\", "{", "}",
)  # fmt: skip


def order(choice: str = "auto", *, several: bool = True) -> Order:
    return Order(ALL, LABELS["en"], choice, several=several)


@cache
def grammar(name: str, choice: str = "auto", *, several: bool = True) -> str:
    return step_grammar(order(choice, several=several), DIALECTS[name])


def written(dialect: str, calls: Sequence[ToolCall] = (CALL,), thought: str = "", answer: str | None = None) -> str:
    """A step as the prompt side writes it."""
    return Templates().in_dialect(dialect, INDEX).step(thought or None, calls, answer)


def tempting(dialect: Dialect) -> list[str]:
    """``TEMPTING``, and the markers and steps of the dialect. Markers that are words count at the start of a line alone."""
    pairs = [word for pair in (*dialect.reasoning, *dialect.channels) for word in pair]
    markers = [*dialect.openers, *dialect.closers, *dialect.chrome, *dialect.results, *pairs]
    literals = dialect.writing.literal("call", "calls", "argument", "thought", "answer") if dialect.writing else ()
    own = [word for word in (*markers, *literals) if not word.strip("[").isalnum()]
    return (
        [*TEMPTING, *own]
        if any(word.isalnum() for word in dialect.openers)
        else [*TEMPTING, *own, written(dialect.name)]
    )


def reading(text: str, dialect: str) -> Reading:
    return read(text, INDEX, dialect, finish_reason="stop")


def test_every_dialect_that_a_prompt_can_ask_for_has_a_grammar() -> None:
    assert [name for name in TAUGHT if not has_grammar(DIALECTS[name])] == []


@pytest.mark.parametrize("name", TAUGHT)
@settings(max_examples=5)
@given(seed=st.integers(0, 2**32), choice=st.sampled_from(["auto", "auto", "required", "none", "book.flight"]))
def test_what_the_grammar_accepts_is_read_as_a_step(name: str, seed: int, choice: str) -> None:
    dialect = DIALECTS[name]
    fragments = tempting(dialect) if random.Random(seed).random() < 0.8 else ()
    text = sample(grammar(name, choice), seed, longest=600, fragments=fragments)
    if dialect.template == "python":  # a string that ends in a bracket may look like one that was not closed
        assume(not re.search(r"""[\]})]["']""", text))
    found = reading(text, name)
    check(found, text)
    if choice != "auto":
        assert bool(found.calls) == (choice != "none"), text
    if choice in INDEX:
        assert {call.name for call in found.calls} == {choice}, text


@pytest.mark.parametrize("name", TAUGHT)
def test_a_step_of_the_prompt_is_one_of_the_grammar(name: str) -> None:
    allowed = grammar(name)
    trip = {"seats": 2, "price": 2.5, "class": "first", "names": [{"first": "Al"}], "extra": "a b"}
    for call in (CALL, ToolCall("book.flight", trip)):
        assert accepts(allowed, written(name, [call], thought=THOUGHTS[name]))
    assert accepts(allowed, written(name, thought="" if name in OTHERS else "hm", answer="It is 5.", calls=()))


@pytest.mark.parametrize("name", TAUGHT)
def test_a_call_is_forced_only_where_it_is_required(name: str) -> None:
    thought = "" if name in OTHERS else "hm"
    call, answer = written(name, thought=thought), written(name, (), thought=thought, answer="It is 5.")
    allowed = {choice: grammar(name, choice) for choice in ("required", "none", "lookup")}
    assert accepts(allowed["required"], call)
    assert not accepts(allowed["required"], answer)
    assert not accepts(allowed["none"], call)
    assert accepts(allowed["none"], answer)
    assert not accepts(allowed["lookup"], call)
    assert not accepts(allowed["lookup"], answer)


@pytest.mark.parametrize("name", OTHERS)
def test_several_calls_stand_in_a_reply_where_the_form_and_the_model_allow_it(name: str) -> None:
    dialect = DIALECTS[name]
    twice = written(name, [CALL, ToolCall("lookup", {"city": "Rome"})])
    assert dialect.writing is not None
    assert accepts(grammar(name), twice) is dialect.writing.parallel
    assert not accepts(grammar(name, several=False), twice)


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize(
    ("answer", "accepted"),
    [
        ("Paris, since 1789: see [the list](http://x.org/a(b)).\n\n- one\n- [ ] **two**\n\n```c\nint f() {\n  return a[0] < 1;\n}\n```", True),
        ("The price is 5 < 6, x[1] = {2}.", True),
        ("add(a=1, b=2)", False),
        ('It is\n{"name": "add", "arguments": {"a": 1, "b": 2}}', False),
        ('```json\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n```', False),
        ("Sure.\nAction: add\nAction Input: {}", False),
        ("Sure. <tool_call>", False),
        ("<think>hm</think>", False),
    ],
)  # fmt: skip
def test_an_answer_may_be_anything_that_is_no_step(name: str, answer: str, accepted: bool) -> None:
    dialect = DIALECTS[name]
    assert dialect.writing is not None
    text = dialect.writing.answer.replace("$answer", answer)
    assert accepts(grammar(name, "none"), text) is accepted


@pytest.mark.parametrize("name", TAUGHT)
def test_strings_end_in_every_way_to_write_them(name: str) -> None:
    thought = "" if name in OTHERS else "hm"
    assert accepts(grammar(name), written(name, [ToolCall("lookup", {"city": "x" * 600})], thought=thought))
    assert not accepts(grammar(name), written(name, [ToolCall("lookup", {"city": "x" * 700})], thought=thought))


@pytest.mark.parametrize("name", TAUGHT)
def test_nothing_long_is_repeated_inside_what_is_repeated(name: str) -> None:
    """llama.cpp multiplies the two and refuses more than some thousands."""
    assert not re.search(r"\{\d+,\d{3}\}[^\n]*\)\{", grammar(name))


def test_raw_values_hold_code_but_no_marker() -> None:
    allowed = grammar("qwen3_coder", "send_mail", several=False)
    call = "<tool_call>\n<function=send_mail>\n<parameter=to>\na@b\n</parameter>\n<parameter=body>\n%s\n</parameter>\n</function>\n</tool_call>"
    assert accepts(allowed, call % 'if (a < b) {\n\treturn ["x"];\n}\n<p>done</p>\n```\nx\n```')
    assert not accepts(allowed, call % "</parameter>\nmore")


def test_a_tool_without_arguments_is_called_in_every_dialect() -> None:
    for name in TAUGHT:
        thought = "" if name in OTHERS else "hm"
        assert accepts(grammar(name, "ping"), written(name, [ToolCall("ping", {})], thought=thought)), name


def test_a_dialect_of_ones_own_has_a_grammar_from_its_record() -> None:
    own = Dialect(
        "acme", "marked", openers=("[[do]]",), head=r"\s{0,4}(?P<name>\w{1,64})\s{0,4}", closers=("[[/do]]",),
        template="json", writing=Writing(call="[[do]] $name $arguments [[/do]]"),
    )  # fmt: skip
    allowed = step_grammar(order(), own)
    assert accepts(allowed, 'I add.\n[[do]] add {"a": 1, "b": 2} [[/do]]')
    assert not accepts(allowed, '[[do]] add {"a": 1} [[/do]]')


def test_a_dialect_whose_template_is_its_own_source_has_no_grammar() -> None:
    source = "{% for key, value in arguments.items() %}{{ key }}: {{ value | json }}\n{% endfor %}"
    own = Dialect(
        "acme", "marked", ("[[do]]",), template=source, writing=Writing(call="[[do]] $name\n$arguments[[/do]]")
    )
    assert not has_grammar(own)


def test_the_examples_of_prompts_are_steps_of_the_grammar() -> None:
    for name in OTHERS:
        templates = Templates().in_dialect(name)
        assert isinstance(templates, DialectTemplates)
        assert accepts(step_grammar(Order((), LABELS["en"]), DIALECTS[name]), templates.example.answer), name
