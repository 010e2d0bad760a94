"""What arguments hold: values that look like something else. The text is valid, and must come out untouched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from react_engine.fuzz.draft import Draft, mutator
from react_engine.fuzz.meaning import Call

_STRING = {"type": "string"}


def _holding(name: str, values: Sequence[Any], describes: str, schema: dict[str, Any] | None = None) -> None:
    def mutate(draft: Draft, rng: Random) -> Draft | None:
        if not draft.reply.calls:
            return None
        for value in rng.sample(values, len(values)):
            changed = draft.with_value(rng, value, schema or _STRING)
            if changed.sayable():
                return changed
        return None

    mutate.__doc__ = describes
    mutator(name, "meaning", "contents")(mutate)


_holding(
    "apostrophes", ("who's on the keeper's rota, isn't it Ida's?", "rock 'n' roll", "'tis"), "Apostrophes in a value."
)
_holding(
    "quotes-in-value",
    ('He said "fine".', '"whole"', "a \"b\" 'c' `d`", 'x", "y": "z'),
    "Quotes, escaped as they should be.",
)
_holding(
    "backslashes", ("printf 'ja\\nnein\\n'", "^\\d+\\.\\w{2}$", "C:\\new\\table", "ends\\", "\\\\host\\share", "\\u00e9"),
    "Backslashes, escaped as they should be.",
)  # fmt: skip
_holding(
    "braces-in-strings", ("Set {A} or {B}", 'grep -c ")]" x', "}}", "a]b", "[[", "{", "f(x) = {x | x > 0}"),
    "Brackets of every kind in a value.",
)  # fmt: skip
_holding(
    "fence-inside-argument", ("Run:\n```sh\npump --start\n```\nDone.", "```", "~~~\nx\n~~~", "`a` and ```b```"),
    "A code fence in a value.",
)  # fmt: skip
_holding(
    "marker-inside-argument",
    ("A call starts with <tool_call> and a name.", "<|tool_call_begin|> is a token", "[TOOL_CALLS] here",
     "Action: none\nAction Input: {}", "Observation: rain", "Final Answer: 4", "<function=x>", "<think>hm</think>",
     "✿FUNCTION✿: x", "<｜tool▁calls▁begin｜>", "functools[1]", '<invoke name="x">', "to=self", ">>>all", "<|channel|>final"),
    "Markup of a dialect, quoted in a value.",
)  # fmt: skip
_holding(
    "json-text-stays-string", ('{"name": "tide", "arguments": {"hours": 6}}', "[1, 2]", '{"a": null}', '"x"'),
    "JSON as the text of a string parameter.",
)  # fmt: skip
_holding(
    "null-like-strings",
    ("null", "None", "true", "False", "NaN", "undefined", "nil"),
    "Words of JSON and Python as text.",
)
_holding(
    "number-like-strings",
    ("007", "3", "1e5", "-0", "12,5", "0x1f", "3.0", "+4"),
    "Numbers as the text of a string parameter.",
)
_holding(
    "xml-values-are-raw",
    ('<ul><li>5 < 7 & "ok"', "a &amp; b", "one<br>two", "if a<b: pass", "<!-- no -->", "<br/>"),
    "HTML and entities in a value.",
)
_holding("base64-argument", ("eyJhIjoxfQ==+/abc/Zm9v", "AAAA////==", "a=b=c&d=e"), "Plus, slash and equals signs.")
_holding(
    "multi-line-value",
    ("a\n\nb", "def f():\n    return 1", "- a\n- b", "1. x\n2. y", "col\tcol"),
    "Line breaks and tabs in a value.",
)
_holding(
    "scripts-in-value", ("青岛，你好：「早」", "مرحبا", "नमस्ते", "e\u0301\u0302", "👩‍👩‍👧 🚀", "Ünïcødé", "ﬁne", "ＦＵＬＬ：｛｝"),
    "Writing systems, combining characters, emoji.",
)  # fmt: skip
_holding(
    "control-in-value",
    ("a\x01b", "\x1b[31mred", "a\x00b", "x\u2028y", "bell\x07", "\x7f"),
    "Control characters in a value.",
)
_holding("surrogate-in-value", ("half \ud83d of one", "\udc00", "a\ud800"), "Lone surrogates, escaped.")
_holding("empty-value", ("",), "An empty text.")
_holding(
    "big-integers",
    (9007199254740993, -(2**63), 10**30, 18446744073709551615),
    "Integers that no float holds.",
    {"type": "integer"},
)
_holding("small-numbers", (1e-7, -0.0, 1.5e300, 0.1, 123456789.125), "Numbers in odd notation.", {"type": "number"})
_holding(
    "deep-value", ({"a": {"b": {"c": {"d": [1, [2, [3, {"e": "f"}]]]}}}}, {"a": [], "b": {}, "c": [[]]}),
    "Nested objects and lists, empty ones among them.", {"type": "object"},
)  # fmt: skip


@mutator("repeated-calls", "meaning", "calls")
def repeated_calls(draft: Draft, rng: Random) -> Draft | None:
    """The same call several times: read as often as it was written."""
    if not draft.form.several or not draft.reply.calls:
        return None
    changed = draft.with_calls(*[rng.choice(draft.reply.calls)] * rng.randint(2, 4))
    return changed if changed.sayable() else None


@mutator("several-calls", "meaning", "calls")
def several_calls(draft: Draft, rng: Random) -> Draft | None:
    """Many calls in one reply."""
    calls = draft.reply.calls
    if not draft.form.several or not calls:
        return None
    return draft.with_calls(*(rng.choice(calls) for _ in range(rng.randint(4, 12))))


@mutator("no-arguments", "meaning", "calls")
def no_arguments(draft: Draft, _rng: Random) -> Draft | None:
    """A tool that takes nothing."""
    tool = {"name": "ring_bell", "description": "Rings.", "parameters": {"type": "object", "properties": {}}}
    return draft.but(tools=[*draft.tools, tool]).with_calls(Call("ring_bell", {}))


@mutator("surplus-argument", "meaning", "surplus")
def surplus_argument(draft: Draft, rng: Random) -> Draft | None:
    """An argument that the tool does not declare: kept, and left to validation."""
    if not draft.reply.calls or draft.form.codec not in ("json", "body"):
        return None
    number = rng.randrange(len(draft.reply.calls))
    call = draft.reply.calls[number]
    if not call.arguments or "verbose" in call.arguments:
        return None
    calls = list(draft.reply.calls)
    calls[number] = Call(call.name, {**call.arguments, "verbose": True})
    return draft.with_calls(*calls)


@mutator("giant-argument", "meaning", "giant", rare=True)
def giant_argument(draft: Draft, rng: Random) -> Draft | None:
    """A value of tens of kilobytes."""
    if not draft.reply.calls:
        return None
    unit = rng.choice(("The tide rises. ", 'a "b" \\ c\n', "{x} [y] ", "word\n\n", "x"))
    changed = draft.with_value(rng, (unit * (rng.randint(2, 60) * 1000 // len(unit))).strip(), _STRING)
    return changed if changed.sayable() else None


@mutator("giant-prose", "meaning", "giant", rare=True)
def giant_prose(draft: Draft, rng: Random) -> Draft | None:
    """Tens of kilobytes of words before the call."""
    if not draft.form.plain:
        return None
    unit = rng.choice(("The tide rises. ", "A long walk (north), a short one.\n", "- item: value\n", "very "))
    return draft.but(reply=replace(draft.reply, before=(unit * (rng.randint(2, 60) * 1000 // len(unit))).strip()))


@mutator("giant-list", "meaning", "giant", rare=True)
def giant_list(draft: Draft, rng: Random) -> Draft | None:
    """Hundreds of elements."""
    if not draft.reply.calls:
        return None
    return draft.with_value(rng, list(range(rng.randint(200, 3000))), {"type": "array", "items": {"type": "integer"}})
