"""What stands around a reply: role headers, turn ends, blanks, samples, echoes of the prompt, invented results."""

from __future__ import annotations

import json
from random import Random

from react_engine.fuzz.draft import Draft, mutator
from react_engine.fuzz.json_text import VALID
from react_engine.fuzz.meaning import Survival

_HEADERS = (
    "<|im_start|>assistant\n",
    "<|start_header_id|>assistant<|end_header_id|>\n\n",
    "<start_of_turn>model\n",
    "<s>",
    "<|assistant|>\n",
)
_ENDS = (
    "<|im_end|>",
    "</s>",
    "<|eot_id|>",
    "<|endoftext|>",
    "<end_of_turn>",
    "<|end_of_text|>",
    "<｜end▁of▁sentence｜>",
)
_MESSAGES = frozenset(
    {"harmony", "muse_atem", "beam_rfl", "inkling", "functionary_v2", "functionary_v3_2", "hyperclovax", "kimi_k3",
     "solar_open", "gigachat3", "glm4_9b"}
)  # fmt: skip
"""Dialects whose replies begin with a header of their own."""


@mutator("end-tokens", "text", "end")
def end_tokens(draft: Draft, rng: Random) -> Draft | None:
    """The token that ends the family's turn, or a common one, once or twice."""
    end = draft.form.end if draft.form.end and rng.random() < 0.6 else rng.choice(_ENDS)
    if draft.dialect in _MESSAGES and end != draft.form.end:
        return None
    return draft.but(sample=draft.written.wrapped("", rng.choice(("", "\n")) + end * rng.choice((1, 1, 2))))


@mutator("special-token-leak", "text", "front")
def leading_header(draft: Draft, rng: Random) -> Draft | None:
    """The header of the assistant's turn at the start."""
    if draft.dialect in _MESSAGES:
        return None
    return draft.but(sample=draft.written.wrapped(rng.choice(_HEADERS)))


@mutator("next-turn-invented", "text", "end")
def next_turn(draft: Draft, rng: Random) -> Draft | None:
    """Nothing stopped the model, and it wrote the user's turn, too."""
    if draft.dialect in _MESSAGES or not draft.reply.calls:
        return None
    tail = rng.choice(
        ("<|im_end|>\n<|im_start|>user\nObservation: delivered<|im_end|>", "<|im_end|>\n<|im_start|>user\nThanks!<|im_end|>\n",
         "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nThanks!", "<end_of_turn>\n<start_of_turn>user\nGo on.")
    )  # fmt: skip
    return draft.but(sample=draft.written.wrapped("", tail))


@mutator("results-invented", "text", "end")
def invented_results(draft: Draft, rng: Random) -> Draft | None:
    """The model wrote the result of its own call, and an answer from it."""
    if draft.dialect not in ("hermes", "qwen3_coder"):
        return None
    tail = rng.choice(
        ('\n<tool_response>\n{"ok": true}\n</tool_response>', "\n<tool_response>\n3\n</tool_response>\nThere are 3.")
    )
    return draft.but(sample=draft.written.wrapped("", tail))


@mutator("byte-order-mark", "text", "front")
def byte_order_mark(draft: Draft, rng: Random) -> Draft | None:
    """An invisible character at the very start."""
    return draft.but(sample=draft.written.wrapped(rng.choice(("\ufeff", "\u200b"))))


@mutator("blanks-around", "text", "blanks")
def blanks(draft: Draft, rng: Random) -> Draft | None:
    """Line breaks and blanks before and behind."""
    left, right = rng.choice(("", "\n", "\n\n", " \n")), rng.choice(("\n", "\n\n\n", "  ", "\n \n"))
    if draft.dialect in _MESSAGES:
        left = ""
    return draft.but(sample=draft.written.wrapped(left, right))


@mutator("windows-line-ends", "text", "blanks")
def carriage_returns(draft: Draft, _rng: Random) -> Draft | None:
    r"""``\r\n`` for every line end; values have none in them."""
    if any("\n" in text for call in draft.reply.calls for text in map(str, call.arguments.values())):
        return None
    if any("\\n" in repr(value) for call in draft.reply.calls for value in call.arguments.values()):
        return None
    return draft.with_text(draft.written.text.replace("\n", "\r\n"))


@mutator("prose-before", "text", "before")
def prose_before(draft: Draft, rng: Random) -> Draft | None:
    """A paragraph before the call, some of it about tools."""
    if not draft.form.plain or draft.reply.thought or draft.form.thought.startswith("$") or draft.dialect in _MESSAGES:
        return None
    if draft.written.text.startswith((" ", "\n")) or not draft.reply.calls:
        return None
    name = rng.choice(draft.tools)["name"]
    words = rng.choice(
        (f"To answer this I use {name}, since nothing else knows.", "Sure! Here is what I do next.", "**Plan**\n1. look\n2. tell",
         f"The tool `{name}` is what we need (it's quick).", "First (a), then [b], never {c}.", "Ok.")
    )  # fmt: skip
    return draft.but(sample=draft.written.wrapped(words + "\n\n"))


@mutator("prose-after", "text", "end")
def prose_after(draft: Draft, rng: Random) -> Draft | None:
    """Words behind a call that is closed by markers of its own."""
    if (
        not draft.form.after
        or not draft.form.plain
        or draft.form.known
        or draft.dialect in _MESSAGES
        or not draft.reply.calls
    ):
        return None
    if not draft.written.text.rstrip().endswith((">", "]")) or draft.dialect in (
        "qwen_fncall",
        "mistral_v3",
        "hunyuan_v3",
    ):
        return None
    words = rng.choice(
        ("I will report back.", "Let me know if (and when) you need more.", "This may take a minute: please wait.")
    )
    return draft.but(sample=draft.written.wrapped("", f"\n\n{words}"))


@mutator("sample-then-real-call", "text", "before")
def sample_then_call(draft: Draft, rng: Random) -> Draft | None:
    """A fenced sample of the format, then the call."""
    marked = draft.form.call.startswith("<") or draft.form.open.startswith("<")
    if not marked or draft.reply.thought or draft.form.known or draft.dialect in _MESSAGES or not draft.reply.calls:
        return None
    text = draft.written.text
    if "```" in text or not draft.form.plain:
        return None
    name = rng.choice(draft.tools)["name"]
    sample = json.dumps({"name": name, "arguments": {"a": "sample"}})
    fenced = f"The format is:\n\n```{rng.choice(('', 'xml', 'json'))}\n<tool_call>\n{sample}\n</tool_call>\n```\n\nNow the real one:\n\n"
    return draft.but(sample=draft.written.wrapped(fenced))


@mutator("prompt-echo", "text", "before")
def prompt_echo(draft: Draft, rng: Random) -> Draft | None:
    """The model first repeats a piece of its prompt: the list of tools, or the question."""
    if draft.reply.thought or draft.dialect in _MESSAGES or draft.form.known or not draft.reply.calls:
        return None
    if not (draft.form.plain or draft.labelled):
        return None
    tools = "\n".join(json.dumps({"type": "function", "function": tool}) for tool in draft.tools)
    echo = rng.choice(
        (f"<tools>\n{tools}\n</tools>\n\n", "Question: When does the boat leave?\n", "Begin!\n\nQuestion: When?\n")
    )
    if echo.startswith("<tools>") and draft.labelled:
        return None
    return draft.but(sample=draft.written.wrapped(echo))


@mutator("token-repetition", "text", "before")
def repetition(draft: Draft, rng: Random) -> Draft | None:
    """A word or a line that the model repeats before it comes to the call."""
    if not draft.form.plain or draft.reply.thought or draft.dialect in _MESSAGES or draft.form.thought.startswith("$"):
        return None
    unit = rng.choice(("wait ", "hmm, ", "I look. ", "the the ", "... ", "Let me see.\n", "- \n", "=== "))
    return draft.but(sample=draft.written.wrapped(unit * rng.randint(5, 60) + "\n\n"))


@mutator("homoglyphs-in-prose", "text", "before")
def homoglyphs(draft: Draft, rng: Random) -> Draft | None:
    """Letters of other scripts in the words before the call."""
    if not draft.form.plain or draft.reply.thought or draft.dialect in _MESSAGES or draft.form.thought.startswith("$"):
        return None
    words = rng.choice(
        ("Тhе tоol ｃｏｍｅｓ next.", "‹tool_call› ｛name｝", "＜tool_call＞ is what I write", "Аction is near")
    )
    return draft.but(sample=draft.written.wrapped(words + "\n\n"))


@mutator("one-call-good-one-broken", "text", "end", Survival.EITHER)
def one_broken(draft: Draft, rng: Random) -> Draft | None:
    """A further call whose arguments are cut off and whose closer is there."""
    if draft.dialect not in ("hermes", "exaone4") or not draft.reply.calls:
        return None
    call = draft.reply.calls[0]
    broken = VALID.write({"name": call.name, "arguments": {"memo": "never", "x": 1}})
    cut = broken[: broken.index('"never') + rng.randint(1, 5)]
    return draft.but(sample=draft.written.wrapped("", f"\n<tool_call>\n{cut}\n</tool_call>"))
