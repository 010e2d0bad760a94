"""Slips of every day: labels run together or renamed, markers misspelt or doubled, roles in front, answers behind."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from react_engine.fuzz.draft import Draft, mutator
from react_engine.fuzz.json_text import VALID
from react_engine.fuzz.meaning import Call, Survival
from react_engine.fuzz.render import render


@mutator("one-line-step", "writing", "labels")
def one_line(draft: Draft, rng: Random) -> Draft | None:
    """Action and input on one line."""
    if not draft.labelled or not draft.reply.calls:
        return None
    return draft.but(
        form=replace(
            draft.form,
            call=draft.form.call.replace(
                "\nAction Input", rng.choice((" Action Input", ", Action Input", "  Action Input"))
            ),
        )
    )


@mutator("other-input-labels", "writing", "labels")
def other_input_labels(draft: Draft, rng: Random) -> Draft | None:
    """Other words for the input, or for action and input."""
    if not draft.labelled or not draft.reply.calls:
        return None
    action, given = rng.choice(
        (
            ("Action", "Input"),
            ("Action", "ActionInput"),
            ("Action", "Action Inputs"),
            ("Action", "Arguments"),
            ("Tool", "Tool Input"),
            ("Action", "Action input"),
        )
    )
    call = draft.form.call.replace("Action Input:", f"{given}:").replace("Action: $name", f"{action}: $name")
    changed = draft.but(form=replace(draft.form, call=call))
    return (
        changed.weaker(Survival.EITHER)
        if (action, given) in (("Tool", "Tool Input"), ("Action", "Arguments"))
        else changed
    )


@mutator("emoji-labels", "writing", "labels", Survival.EITHER)
def emoji_labels(draft: Draft, rng: Random) -> Draft | None:
    """A sign before each label."""
    if not draft.labelled or not draft.reply.calls:
        return None
    sign = rng.choice(("🔧 ", "➡️ ", "• ", "1. "))
    form = replace(draft.form, call=re.sub(r"(?m)^(?=Action)", sign, draft.form.call))
    return draft.but(form=form)


@mutator("blank-lines-between-labels", "writing", "labels")
def blank_lines(draft: Draft, rng: Random) -> Draft | None:
    """Empty lines between the labels, or blanks at the ends of lines."""
    if not draft.labelled or not draft.reply.calls:
        return None
    gap = rng.choice(("\n\n", "  \n", "\n \n", "\n\n\n"))
    form = replace(draft.form, call=draft.form.call.replace("\n", gap), thought=draft.form.thought.replace("\n", gap))
    return draft.but(form=form)


@mutator("thought-in-between", "writing", "labels")
def thought_between(draft: Draft, _rng: Random) -> Draft | None:
    """A second thought before the action."""
    if not draft.labelled or len(draft.reply.calls) != 1 or not draft.reply.thought:
        return None
    return draft.but(form=replace(draft.form, thought="Thought: First of all.\nThought: $thought\n"))


@mutator("answer-behind-action", "text", "tail")
def answer_behind(draft: Draft, rng: Random) -> Draft | None:
    """An answer behind the action, written before its result was known: the action counts."""
    if not draft.labelled or draft.dialect == "toolllama_react" or not draft.reply.calls:
        return None
    label = "Answer" if draft.dialect == "react_answer" else "Final Answer"
    words = rng.choice(("It is done.", "There are three of them."))
    return draft.but(
        sample=draft.written.wrapped("", f"\n{rng.choice(('', 'Thought: I know it now.' + chr(10)))}{label}: {words}")
    )


@mutator("answer-before-action", "text", "head", Survival.REFUSE)
def answer_before(draft: Draft, _rng: Random) -> Draft | None:
    """A final answer, and a step behind it: after an answer nothing is a call."""
    if not draft.labelled or draft.dialect != "react" or not draft.reply.calls:
        return None
    return draft.but(sample=draft.written.wrapped("Thought: I know it.\nFinal Answer: It is done.\n\n"), expected=())


@mutator("role-in-front", "text", "front")
def role_in_front(draft: Draft, rng: Random) -> Draft | None:
    """The name of the speaker before a labelled step."""
    if not draft.labelled or not draft.reply.calls:
        return None
    role = rng.choice(("assistant\n", "Assistant:\n", "AI:\n", "Assistant: \n\n"))
    return draft.but(sample=draft.written.wrapped(role))


@mutator("indented-step", "text", "blanks")
def indented(draft: Draft, rng: Random) -> Draft | None:
    """Every line of a labelled step moved to the right."""
    if not draft.labelled or any(
        "\n" in str(v) or "\n" in repr(v) for c in draft.reply.calls for v in c.arguments.values()
    ):
        return None
    blanks = rng.choice((" ", "  ", "   "))
    return draft.with_text(re.sub(r"(?m)^", blanks, draft.written.text))


_MARKED = ("hermes", "exaone4", "nemotron_toolcall", "longcat", "minimax_m1", "tool_calls_array")


@mutator("marker-doubled", "writing", "frame")
def doubled_opener(draft: Draft, _rng: Random) -> Draft | None:
    """The opener of a call twice."""
    if draft.dialect != "hermes" or not draft.reply.calls:
        return None
    return draft.but(form=replace(draft.form, call="<tool_call>\n" + draft.form.call))


@mutator("marker-without-opener", "writing", "frame")
def no_opener(draft: Draft, _rng: Random) -> Draft | None:
    """The opener is missing, the closer is there."""
    if draft.dialect not in ("hermes", "exaone4") or len(draft.reply.calls) != 1 or not draft.known:
        return None
    return draft.but(form=replace(draft.form, call=draft.form.call.replace("<tool_call>", "").lstrip("\n")))


@mutator("marker-misspelt", "writing", "frame", Survival.EITHER)
def misspelt_marker(draft: Draft, rng: Random) -> Draft | None:
    """A marker in capitals, with blanks or a hyphen in it."""
    if draft.dialect != "hermes" or not draft.reply.calls:
        return None
    word = rng.choice(("TOOL_CALL", "tool-call", " tool_call ", "tool_call ", "Tool_Call", "tool call"))
    return draft.but(form=replace(draft.form, call=f"<{word}>\n$body\n</{word}>"))


@mutator("null-arguments", "meaning", "calls")
def null_arguments(draft: Draft, rng: Random) -> Draft | None:
    """Null, an empty text or an empty list for no arguments."""
    if draft.form.codec != "body" or not draft.reply.calls:
        return None
    tool = {"name": "ring_bell", "description": "Rings.", "parameters": {"type": "object", "properties": {}}}
    word = rng.choice(("null", '""', "[]", "{}"))
    changed = draft.but(tools=[*draft.tools, tool]).with_calls(Call("ring_bell", {}))
    return changed.with_habits(arguments=lambda call, written: written if call.arguments else word)


@mutator("other-reasoning-tags", "writing", "thinking")
def other_reasoning(draft: Draft, rng: Random) -> Draft | None:
    """Reasoning between tags of another name, with a call drafted inside."""
    if "<think>" not in draft.form.thought or not draft.reply.calls or draft.form.known:
        return None
    word = rng.choice(("thinking", "thought", "reasoning"))
    sketch = VALID.write({"name": draft.reply.calls[0].name, "arguments": {}})
    reply = replace(draft.reply, thought=f"Maybe {sketch}? Yes, but with care.")
    return draft.but(reply=reply, form=replace(draft.form, thought=f"<{word}>\n$thought\n</{word}>\n\n"))


@mutator("apology-between-calls", "text", "end", Survival.EITHER)
def apology(draft: Draft, _rng: Random) -> Draft | None:
    """The call once more, after words of apology."""
    if draft.dialect not in _MARKED or len(draft.reply.calls) != 1 or draft.survival is Survival.REFUSE:
        return None  # behind a call that cannot be made, the second would be the one to make
    again = render(draft.form, replace(draft.reply, thought="", before="", after="")).text
    twice = (*draft.calls, *draft.reply.calls)
    return draft.but(sample=draft.written.wrapped("", f"\nSorry, once more:\n{again}"), expected=twice)
