"""JSON that is written wrongly, value by value: quotes, commas, comments, escapes, numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

from react_engine.fuzz.draft import Draft, mutator
from react_engine.fuzz.json_text import COMPACT, PYTHON, VALID, WIDE, JsonHabits, quoted
from react_engine.fuzz.meaning import Survival

_STRING = {"type": "string"}


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    below = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for item in below for text in _strings(item)]


def _texts(draft: Draft) -> list[str]:
    return [text for call in draft.reply.calls for text in (call.name, *_strings(call.arguments))]


def _numbers(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_numbers, value.values()))
    return any(map(_numbers, value)) if isinstance(value, list) else type(value) in (int, float)


def _writing(draft: Draft, habits: JsonHabits) -> Draft | None:
    return draft.with_habits(write=habits.write) if draft.json and draft.reply.calls else None


@mutator("valid-json-kept-intact", "writing", "json")
def spacing(draft: Draft, rng: Random) -> Draft | None:
    """Valid JSON, tight, wide, or on many lines."""
    style = rng.randrange(3)
    if style == 2:
        indent = rng.choice((1, 2, 4))
        writing = draft.json and draft.reply.calls
        return draft.with_habits(write=lambda value: json.dumps(value, indent=indent)) if writing else None
    return _writing(draft, COMPACT if style else WIDE)


@mutator("unicode-escapes", "writing", "json")
def unicode_escapes(draft: Draft, _rng: Random) -> Draft | None:
    """Everything outside of ASCII as an escape."""
    return _writing(draft, replace(VALID, quote=json.dumps))


@mutator("python-literals", "writing", "json")
def python_literals(draft: Draft, _rng: Random) -> Draft | None:
    """A Python dict for JSON: single quotes, True, None."""
    return _writing(draft, PYTHON)


@mutator("python-words", "writing", "json")
def python_words(draft: Draft, rng: Random) -> Draft | None:
    """JSON, but for True, False and None."""
    draft = draft.with_random(rng, {"type": "boolean"}) if draft.reply.calls else draft
    return _writing(draft, replace(VALID, words=PYTHON.words))


@mutator("trailing-commas", "writing", "json")
def trailing_commas(draft: Draft, rng: Random) -> Draft | None:
    """A comma behind the last element, at every level."""
    return _writing(draft, replace(VALID, trailing=rng.choice((",", ", ", ",\n"))))


@mutator("json-comments", "writing", "json")
def json_comments(draft: Draft, rng: Random) -> Draft | None:
    """Comments between elements."""
    return _writing(draft, replace(VALID, comma=rng.choice((", // as asked\n", ", /* see above */ ", ",\n# note\n"))))


@mutator("unquoted-keys", "writing", "json")
def unquoted_keys(draft: Draft, _rng: Random) -> Draft | None:
    """Keys without quotes."""
    return _writing(draft, replace(VALID, key=str))


@mutator("curly-quotes", "writing", "json")
def curly_quotes(draft: Draft, rng: Random) -> Draft | None:
    """Typographic quotes for all quotes."""
    if any(set(text) & set("\"'“”‘’„\\\n\t`") or not text.isprintable() for text in _texts(draft)):
        return None
    left, right = rng.choice((("“", "”"), ("„", "“"), ("”", "”")))
    return _writing(draft, replace(VALID, quote=lambda text: f"{left}{text}{right}"))


@mutator("fullwidth-punctuation", "writing", "json")
def fullwidth(draft: Draft, rng: Random) -> Draft | None:
    """Full-width braces, colons and commas as syntax."""
    braces = ("｛", "｝") if rng.random() < 0.5 else ("{", "}")
    return _writing(draft, replace(VALID, comma="，", colon="：", braces=braces))


@mutator("invisible-characters", "writing", "json")
def invisible(draft: Draft, rng: Random) -> Draft | None:
    """No-break and zero-width spaces between tokens."""
    blank = rng.choice(("\u00a0", "\u200b", "\ufeff", "\u2009", "\u3000", "\u2060"))
    return _writing(draft, replace(VALID, comma=f",{blank}", colon=f":{blank}", braces=(f"{{{blank}", f"{blank}}}")))


@mutator("literal-escape-outside-string", "writing", "json")
def literal_escapes(draft: Draft, rng: Random) -> Draft | None:
    r"""``\n`` in two characters between tokens."""
    gap = rng.choice(("\\n", "\\n  ", "\\t"))
    return _writing(draft, replace(VALID, comma=f",{gap}", braces=(f"{{{gap}", f"{gap}}}")))


@mutator("raw-control-characters", "writing", "json")
def raw_control(draft: Draft, rng: Random) -> Draft | None:
    """Line breaks and tabs that stand in strings as they are."""
    if not draft.json or not draft.reply.calls:
        return None
    value = rng.choice(("one\ntwo", "a\n\nb", "col\tcol", "  if x:\n      y()\n", "ls \\\n  -l"))
    return _writing(
        draft.with_value(rng, value, _STRING),
        replace(VALID, quote=lambda text: quoted(text).replace("\\\\", "\0").replace("\\n", "\n").replace("\\t", "\t").replace("\0", "\\\\")),
    )  # fmt: skip


@mutator("unescaped-inner-quotes", "writing", "json")
def inner_quotes(draft: Draft, rng: Random) -> Draft | None:
    """Quotes inside a string that nobody escaped, and that only words can follow."""
    if not draft.json or not draft.reply.calls or any(set(text) & set('"\\') for text in _texts(draft)):
        return None
    value = rng.choice(('the "Ida" of Visby', 'say "ahoy" twice', 'print(d["bar"] or d["rpm"])', 'a 5" pipe here'))
    return _writing(
        draft.with_value(rng, value, _STRING), replace(VALID, quote=lambda text: quoted(text).replace('\\"', '"'))
    )


@mutator("windows-path", "writing", "json")
def windows_path(draft: Draft, rng: Random) -> Draft | None:
    """Single backslashes that start no escape of JSON."""
    if not draft.json or not draft.reply.calls or any("\\" in text for text in _texts(draft)):
        return None
    value = rng.choice(("E:\\Choir\\Alto\\score.md", "C:\\Data\\Logs", "\\d+\\.\\d+", "D:\\My Files\\Plan (2).txt"))
    return _writing(
        draft.with_value(rng, value, _STRING), replace(VALID, quote=lambda text: quoted(text).replace("\\\\", "\\"))
    )


@mutator("needless-escapes", "writing", "json")
def needless_escapes(draft: Draft, rng: Random) -> Draft | None:
    r"""``\'`` in a string of JSON."""
    if not draft.json or not draft.reply.calls:
        return None
    value = rng.choice(("it's noon", "Ida's boat isn't in"))
    return _writing(
        draft.with_value(rng, value, _STRING), replace(VALID, quote=lambda text: quoted(text).replace("'", "\\'"))
    )


@mutator("markdown-escaped-underscore", "writing", "json")
def escaped_underscores(draft: Draft, _rng: Random) -> Draft | None:
    r"""``\_`` for every underscore in names and keys."""
    if not draft.reply.calls or not any(
        "_" in key for call in draft.reply.calls for key in (call.name, *call.arguments)
    ):
        return None
    escaped = _writing(draft, replace(VALID, key=lambda text: quoted(text).replace("_", "\\_")))
    return escaped.with_habits(name=lambda name: name) if escaped else None


@mutator("leading-zeros", "writing", "json")
def leading_zeros(draft: Draft, rng: Random) -> Draft | None:
    """Integers written with zeros in front."""
    if not draft.json or not draft.reply.calls:
        return None
    draft = draft.with_value(rng, rng.randint(1, 99), {"type": "integer"})
    return _writing(draft, replace(VALID, number=lambda n: f"00{n}" if type(n) is int and n > 0 else json.dumps(n)))


@mutator("thousands-in-numbers", "writing", "json")
def plus_signs(draft: Draft, rng: Random) -> Draft | None:
    """Integers with a plus, or with underscores as in Python."""
    if not draft.json or not draft.reply.calls:
        return None
    draft = draft.with_value(rng, rng.randint(1000, 10**7), {"type": "integer"})
    spelling = rng.choice(("+{}", "{:_}"))
    written = replace(VALID, number=lambda n: spelling.format(n) if type(n) is int and n > 999 else json.dumps(n))
    changed = _writing(draft, written)
    return changed.weaker(Survival.EITHER) if changed else None


@mutator("type-by-schema", "writing", "json")
def types_by_schema(draft: Draft, rng: Random) -> Draft | None:
    """Numbers and truth values as strings, where the schema takes no string."""
    if not draft.json or not draft.declared:
        return None
    draft = draft.with_random(rng, {"type": "integer"}).with_random(rng, {"type": "boolean"})
    words = rng.choice((('"true"', '"false"', "null"), ('"True"', '"False"', "null")))
    if any(set(_kinds(draft, call.name)) - {"integer", "number", "boolean", "string"} for call in draft.reply.calls):
        return None
    return _writing(draft, replace(VALID, number=lambda n: f'"{json.dumps(n)}"', words=words))


def _kinds(draft: Draft, name: str) -> list[str]:
    return [str(below.get("type")) for below in draft.tool(name)["parameters"]["properties"].values()]


@mutator("json-string-for-structured-param", "writing", "json")
def string_for_structure(draft: Draft, rng: Random) -> Draft | None:
    """An object or list, encoded once more as a string."""
    if not draft.json or not draft.declared:
        return None
    draft = draft.with_random(rng, {"type": "array", "items": {"type": "integer"}})
    structured = (dict, list)

    def write(value: Any, top: bool = True) -> str:
        if top and isinstance(value, dict):
            parts = (f"{quoted(key)}: {write(item, False)}" for key, item in value.items())
            return f"{{{', '.join(parts)}}}"
        return quoted(VALID.write(value)) if isinstance(value, structured) else VALID.write(value)

    return draft.with_habits(write=write)
