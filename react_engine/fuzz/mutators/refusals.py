"""Calls that nobody may run: cut inside a value, nameless, impossible, ambiguous."""

from __future__ import annotations

from random import Random

from react_engine.fuzz.draft import Draft, mutator
from react_engine.fuzz.meaning import Call, Survival

_STRING = {"type": "string"}


@mutator("truncated-call", "text", "cut", Survival.REFUSE)
def truncated(draft: Draft, rng: Random) -> Draft | None:
    """Cut by the length limit inside a string of the only call's arguments."""
    if len(draft.reply.calls) != 1 or draft.sample is not None or not draft.json:
        return None
    changed = draft.with_value(rng, "rm -rf /srv/cache/old and then all of it", _STRING)
    text = changed.written.text
    at = text.find("rm -rf /srv/cache/old and then")
    return changed.with_text(text[: at + rng.randint(3, 28)]).but(finish="length", expected=()) if at > 0 else None


@mutator("thought-without-action", "text", "cut", Survival.REFUSE)
def cut_in_thought(draft: Draft, rng: Random) -> Draft | None:
    """Cut by the length limit before the call begins."""
    calls = draft.written.all("calls")
    if not calls or calls[0].start < 4 or not draft.reply.calls:
        return None
    return draft.with_text(draft.written.text[: rng.randint(1, calls[0].start)]).but(finish="length", expected=())


@mutator("tool-name-is-description", "writing", "name", Survival.REFUSE)
def sentence_for_name(draft: Draft, rng: Random) -> Draft | None:
    """A task where the name of a tool should stand."""
    if not draft.labelled or not draft.reply.calls:
        return None
    words = rng.choice(
        ("Research current trends in bicycle lighting", "I will think about it first", "Ask the archivist about map 12")
    )
    return draft.with_habits(name=lambda _name: words).but(expected=())


@mutator("nan-or-infinity", "writing", "json", Survival.REFUSE)
def not_a_number(draft: Draft, rng: Random) -> Draft | None:
    """NaN for a number that is required: no JSON, and nothing to calculate with."""
    if len(draft.reply.calls) != 1 or not draft.json:
        return None
    tool = draft.tool(draft.reply.calls[0].name)
    parameters = {"type": "object", "properties": {"weight": {"type": "number"}}, "required": ["weight"]}
    tools = [{**other, "parameters": parameters} if other is tool else other for other in draft.tools]
    word = rng.choice(("NaN", "Infinity", "-Infinity"))
    changed = draft.but(tools=tools, expected=()).with_calls(Call(tool["name"], {"weight": 0}))
    return changed.with_habits(arguments=lambda _call, _written: f'{{"weight": {word}}}')


@mutator("required-input-missing", "meaning", "calls", Survival.REFUSE)
def nothing_given(draft: Draft, _rng: Random) -> Draft | None:
    """No arguments for a tool that cannot do without."""
    if not draft.reply.calls:
        return None
    name = draft.reply.calls[0].name
    parameters = {"type": "object", "properties": {"sku": _STRING, "depot": _STRING}, "required": ["sku"]}
    tools = [{**tool, "parameters": parameters} if tool["name"] == name else tool for tool in draft.tools]
    return draft.but(tools=tools, expected=()).with_calls(Call(name, {}))


@mutator("tool-name-ambiguous", "meaning", "name", Survival.REFUSE)
def ambiguous(draft: Draft, _rng: Random) -> Draft | None:
    """Half a name that fits two tools."""
    if not (draft.labelled or draft.form.codec == "body") or not draft.reply.calls:
        return None
    parameters = {"type": "object", "properties": {"query": _STRING}, "required": ["query"]}
    tools = [
        {"name": f"search_{what}", "description": "Searches.", "parameters": parameters}
        for what in ("invoices", "letters")
    ]
    changed = draft.but(tools=tools, expected=()).with_calls(Call("search_invoices", {"query": "number 2031"}))
    return changed.with_habits(name=lambda _name: "search")


@mutator("prompt-template-echo", "writing", "call", Survival.REFUSE)
def placeholder(draft: Draft, rng: Random) -> Draft | None:
    """The placeholders of the format description, unfilled."""
    if not draft.labelled:
        return None
    return draft.with_text(
        rng.choice(
            ("Thought: you should always think about what to do\nAction: the action to take\nAction Input: the input to the action",
             "Question: the input question you must answer\nThought: you should always think\nAction:\n```\n$JSON_BLOB\n```")
        )
    ).but(expected=())  # fmt: skip


@mutator("broken-openers", "text", "noise", Survival.REFUSE)
def orphans(draft: Draft, rng: Random) -> Draft | None:
    """Openers without anything behind them, as degenerate models write."""
    opener = (draft.form.open or draft.form.call).partition("$")[0].strip()
    if len(opener) < 5 or draft.labelled or draft.form.known or opener.startswith("Action"):
        return None
    return draft.with_text((opener + rng.choice(("", "\n"))) * rng.randint(1, 12)).but(expected=())
