"""Arguments in the wrong wrapping: envelopes, copies, surplus and missing brackets, other keys."""

from __future__ import annotations

import json
from random import Random

from react_engine.fuzz.draft import Draft, mutator
from react_engine.fuzz.forms import Form
from react_engine.fuzz.json_text import VALID, quoted
from react_engine.fuzz.meaning import Call, Survival

_ENVELOPES = ("arguments", "parameters", "input", "kwargs", "args", "properties")


def _envelope_free(draft: Draft) -> bool:
    names = {name for call in draft.reply.calls for name in draft.tool(call.name)["parameters"]["properties"]}
    return draft.known and not names & set(_ENVELOPES)


@mutator("argument-envelope", "writing", "shape")
def argument_envelope(draft: Draft, rng: Random) -> Draft | None:
    """All arguments inside one key that is no parameter."""
    if not draft.json or not _envelope_free(draft) or not all(call.arguments for call in draft.reply.calls):
        return None
    word = rng.choice(_ENVELOPES)
    return draft.with_habits(arguments=lambda _call, written: f'{{"{word}": {written}}}')


@mutator("double-encoded-arguments", "writing", "shape")
def double_encoded(draft: Draft, _rng: Random) -> Draft | None:
    """The arguments as a string of JSON."""
    if not draft.json or not draft.known:
        return None
    return draft.with_habits(arguments=lambda _call, written: json.dumps(written, ensure_ascii=False))


@mutator("array-around-input", "writing", "shape")
def array_around(draft: Draft, _rng: Random) -> Draft | None:
    """The one object of arguments in a list."""
    if not draft.json or not draft.known or not all(call.arguments for call in draft.reply.calls):
        return None
    return draft.with_habits(arguments=lambda _call, written: f"[{written}]")


@mutator("schema-echo", "writing", "shape")
def schema_echo(draft: Draft, _rng: Random) -> Draft | None:
    """The values filled into the properties of an echoed schema."""
    names = {name for call in draft.reply.calls for name in draft.tool(call.name)["parameters"]["properties"]}
    if not draft.json or not draft.known or names & {"type", "properties"}:
        return None
    return draft.with_habits(arguments=lambda _call, written: f'{{"type": "object", "properties": {written}}}')


@mutator("duplicated-arguments", "writing", "shape")
def duplicated(draft: Draft, rng: Random) -> Draft | None:
    """The arguments twice, the second time whole or broken off."""
    if draft.form.codec != "json" or not draft.known or not all(call.arguments for call in draft.reply.calls):
        return None
    whole = rng.random() < 0.5
    return draft.with_habits(
        arguments=lambda _c, written: written + (written if whole else written[: len(written) // 2])
    )


@mutator("surplus-or-misnested-braces", "writing", "shape")
def surplus_braces(draft: Draft, rng: Random) -> Draft | None:
    """Closing braces too many."""
    if not draft.json or not draft.known or draft.habits.body is not None:
        return None
    extra = rng.choice(("}", "}}") if "[" in draft.form.open else ("}", "}}", "]", "}\n}"))
    return draft.with_habits(arguments=lambda _call, written: written + extra)


@mutator("missing-closing-brace", "writing", "shape")
def missing_brace(draft: Draft, _rng: Random) -> Draft | None:
    """The last brace of the arguments is missing, though the model went on as if it were there."""
    if not draft.json or not draft.known or not all(call.arguments for call in draft.reply.calls):
        return None
    if "[" in draft.form.open or draft.habits.body is not None:
        return None  # in a list, or with the name behind it, the brace could have stood elsewhere
    return draft.with_habits(arguments=lambda _call, written: written[:-1])


@mutator("contradicting-keys", "writing", "shape")
def contradicting_keys(draft: Draft, _rng: Random) -> Draft | None:
    """A key twice: as in every JSON reader, the last value counts."""
    if not draft.json or not draft.known or not all(call.arguments for call in draft.reply.calls):
        return None

    def write(call: Call, written: str) -> str:
        key = next(iter(call.arguments))
        return f"{{{quoted(key)}: {VALID.write(call.arguments[key])}, {written[1:]}"

    return draft.with_habits(arguments=write)


@mutator("other-keys", "writing", "body")
def other_keys(draft: Draft, rng: Random) -> Draft | None:
    """Other words for name and arguments than the family's own."""
    if draft.form.codec != "body" or not draft.known:
        return None
    name = rng.choice(("name", "tool", "tool_name", "function", "action", "function_name"))
    arguments = rng.choice(("arguments", "parameters", "args", "input", "action_input", "tool_input"))
    return draft.with_habits(body=lambda called, given, _form: f'{{"{name}": {called}, "{arguments}": {given}}}')


@mutator("arguments-first", "writing", "body")
def arguments_first(draft: Draft, _rng: Random) -> Draft | None:
    """The arguments before the name."""
    if draft.habits.arguments is not None:
        return None
    if draft.form.codec != "body" or not draft.known:
        return None

    def write(called: str, given: str, form: Form) -> str:
        return f'{{"{form.keys[1]}": {given}, "{form.keys[0]}": {called}}}'

    return draft.with_habits(body=write)


@mutator("openai-shape-as-text", "writing", "body")
def openai_shape(draft: Draft, rng: Random) -> Draft | None:
    """The wire format of an API, written out."""
    if draft.form.codec != "body" or not draft.known:
        return None
    encoded = rng.random() < 0.5

    def write(called: str, given: str, _form: Form) -> str:
        arguments = json.dumps(given) if encoded else given
        return f'{{"id": "call_1", "type": "function", "function": {{"name": {called}, "arguments": {arguments}}}}}'

    return draft.with_habits(body=write)


@mutator("extra-keys", "writing", "body")
def extra_keys(draft: Draft, rng: Random) -> Draft | None:
    """An id, a type, or a thought beside name and arguments."""
    if draft.form.codec != "body" or not draft.known:
        return None
    extra = rng.choice(('"id": "call_7", ', '"type": "function", ', '"thought": "I look.", ', '"index": 0, '))
    return draft.with_habits(
        body=lambda called, given, form: f'{{{extra}"{form.keys[0]}": {called}, "{form.keys[1]}": {given}}}'
    )


@mutator("call-wrapped-in-call", "writing", "body")
def call_in_call(draft: Draft, rng: Random) -> Draft | None:
    """A call of ``tool_call`` that holds the call."""
    if draft.form.codec != "body" or not draft.known:
        return None
    word = rng.choice(("tool_call", "function_call", "call_tool"))
    return draft.with_habits(
        body=lambda called, given, form: (
            f'{{"{form.keys[0]}": "{word}", "{form.keys[1]}": {{"name": {called}, "arguments": {given}}}}}'
        )
    )


@mutator("fenced-inside-markers", "text", "shape")
def fenced_inside(draft: Draft, rng: Random) -> Draft | None:
    """The JSON between markers in a code fence."""
    if draft.form.codec != "body" or not draft.form.call.startswith("<"):
        return None
    sample = draft.written
    for part in reversed(sample.all("body")):
        sample = sample.replaced(part.start, part.end, f"\n```{rng.choice(('json', ''))}\n{sample.of(part)}\n```\n")
    return draft.but(sample=sample)


@mutator("flat-arguments", "writing", "body")
def flat_arguments(draft: Draft, _rng: Random) -> Draft | None:
    """Name and arguments in one object, without a key for the arguments."""
    if draft.form.codec != "body" or not draft.known or not all(call.arguments for call in draft.reply.calls):
        return None
    if any("name" in call.arguments or draft.form.keys[0] in call.arguments for call in draft.reply.calls):
        return None
    return draft.with_habits(
        body=lambda called, given, form: f'{{"{form.keys[0]}": {called}, {given.lstrip()[1:]}'
    ).weaker(Survival.EITHER)
