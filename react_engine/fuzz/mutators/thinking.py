"""Reasoning around the call, before it, and in the wrong place."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from react_engine.fuzz.draft import Draft, mutator
from react_engine.fuzz.json_text import VALID
from react_engine.fuzz.meaning import Survival
from react_engine.fuzz.render import render

_THINK = "<think>\n$thought\n</think>\n\n"


def _thinks(draft: Draft) -> bool:
    """Whether the dialect's reasoning stands between the usual tags."""
    return "<think>" in draft.form.thought and bool(draft.reply.calls)


def _draft_call(draft: Draft, rng: Random) -> str:
    """A call that is only thought of, in the dialect's own markup or in JSON."""
    call = draft.reply.calls[0]
    if rng.random() < 0.5:
        return VALID.write({"name": call.name, "arguments": {}})
    return render(draft.form, replace(draft.reply, thought="", before="", after="", calls=(call,))).text


@mutator("draft-in-think", "meaning", "thinking")
def draft_in_think(draft: Draft, rng: Random) -> Draft | None:
    """A call drafted in the reasoning, then the real one outside."""
    if not _thinks(draft):
        return None
    thought = f"I could send\n{_draft_call(draft, rng)}\nbut first I check."
    return draft.but(reply=replace(draft.reply, thought=thought))


@mutator("think-boundaries", "writing", "thinking")
def boundaries(draft: Draft, rng: Random) -> Draft | None:
    """The opener is missing (it stood in the prompt), doubled, or nothing stands between the two."""
    if not _thinks(draft):
        return None
    thought = rng.choice(
        (
            "$thought\n</think>\n\n",
            "<think>\n<think>\n$thought\n</think>\n",
            "<think>\n\n</think>\n\n$thought\n</think>\n",
        )
    )
    reply = replace(draft.reply, thought=draft.reply.thought or "First the place.")
    return draft.but(reply=reply, form=replace(draft.form, thought=thought))


@mutator("call-in-unclosed-think", "writing", "thinking")
def unclosed(draft: Draft, _rng: Random) -> Draft | None:
    """Reasoning that never closes and ends in complete calls: the model went over to calling."""
    if not _thinks(draft) or draft.form.known or draft.form.codec == "python":
        return None
    reply = replace(draft.reply, thought="I need the file first.", before="", after="")
    return draft.but(reply=reply, form=replace(draft.form, thought="<think>$thought\n"))


@mutator("react-step-inside-think", "meaning", "thinking")
def step_inside_think(draft: Draft, _rng: Random) -> Draft | None:
    """Labels inside the reasoning before a labelled step."""
    if not draft.labelled or not draft.reply.calls:
        return None
    name = draft.tools[0]["name"]
    head = f"<think>\nAction: {name}\nAction Input: {{}}\nwould be right. But what for?\n</think>\n"
    return draft.but(
        form=replace(draft.form, thought=head + draft.form.thought), reply=replace(draft.reply, thought="I look.")
    )


@mutator("think-before-other-dialects", "writing", "thinking")
def foreign_think(draft: Draft, _rng: Random) -> Draft | None:
    """The usual reasoning tags before a dialect that has none."""
    if draft.form.thought or not draft.reply.calls:
        return None
    reply = replace(draft.reply, thought=draft.reply.thought or "First the place.")
    return draft.but(reply=reply, form=replace(draft.form, thought=_THINK))


@mutator("answer-in-unclosed-think", "meaning", "thinking", Survival.REFUSE)
def answer_inside(draft: Draft, rng: Random) -> Draft | None:
    """Reasoning that never closes and names a tool in words: there is nothing to call."""
    if not _thinks(draft):
        return None
    call = draft.reply.calls[0]
    words = rng.choice(
        (f"I know this without {call.name}.\n\nThe capital of Bhutan is Thimphu.", f"Maybe {call.name}? No: it is closed.",
         f'I could call {call.name} with {VALID.write(call.arguments)} but that costs money, so')
    )  # fmt: skip
    return draft.with_text(f"<think>{words}").with_calls()
