"""Names of tools that are written differently: decorated, respelled, prefixed, garbled."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from react_engine.fuzz.draft import Draft, mutator
from react_engine.fuzz.forms import FORMS
from react_engine.fuzz.meaning import Call, Survival
from react_engine.fuzz.render import TRAINED

_CYRILLIC = {"a": "а", "e": "е", "o": "о", "c": "с", "p": "р", "i": "і"}


def _naming(draft: Draft, name: Callable[[str], str]) -> Draft | None:
    return draft.with_habits(name=name) if draft.reply.calls else None


@mutator("tool-name-case-or-space", "writing", "name")
def respelled(draft: Draft, rng: Random) -> Draft | None:
    """Another case or other separators, where a JSON string or a label holds the name."""
    if not (draft.labelled or draft.form.codec == "body"):
        return None
    spell = rng.choice(
        (str.upper, str.title, lambda name: re.sub(r"[_.-]", " ", name), lambda name: re.sub(r"[_.-]", "", name),
         lambda name: re.sub(r"_", "-", name), lambda name: re.sub(r"[_-]", " ", name).title())
    )  # fmt: skip
    return _naming(draft, spell)


@mutator("tool-name-decorated", "writing", "name")
def decorated(draft: Draft, rng: Random) -> Draft | None:
    """Quotes, backticks, bold, brackets, a stop, blanks around the name."""
    if not draft.labelled:
        return None
    left, right = rng.choice(
        (
            ("`", "`"),
            ('"', '"'),
            ("'", "'"),
            ("**", "**"),
            ("[", "]"),
            ("<", ">"),
            ("", "."),
            ("  ", "  "),
            ("", "()"),
            ("“", "”"),
        )
    )
    return _naming(draft, lambda name: f"{left}{name}{right}")


@mutator("tool-name-prefix-or-suffix", "writing", "name")
def affixes(draft: Draft, rng: Random) -> Draft | None:
    """A namespace in front, or the word tool."""
    if not (draft.labelled or draft.form.codec == "body"):
        return None
    prefix, suffix = rng.choice(
        (
            ("functions.", ""),
            ("tools.", ""),
            ("default_api.", ""),
            ("functions.", ":0"),
            ("", " tool"),
            ("function ", ""),
        )
    )
    return _naming(draft, lambda name: f"{prefix}{name}{suffix}")


@mutator("server-prefix-missing", "meaning", "name")
def server_prefix(draft: Draft, _rng: Random) -> Draft | None:
    """The registered name has a server in front that the model left out, and only one tool ends so."""
    if draft.form.codec != "body" or not draft.reply.calls:
        return None
    called = {call.name for call in draft.reply.calls if re.fullmatch(r"[a-z_]+", call.name)}
    if len(called) != 1:
        return None
    (name,) = called
    if any(call.name != name for call in draft.reply.calls):
        return None
    full = f"mcp__office__{name}"
    tools = [{**tool, "name": full} if tool["name"] == name else tool for tool in draft.tools]
    calls = tuple(Call(full, call.arguments) for call in draft.reply.calls)
    return draft.but(tools=tools).with_calls(*calls).with_habits(name=lambda meant: name if meant == full else meant)


@mutator("homoglyph-in-name", "writing", "name", Survival.EITHER)
def homoglyph(draft: Draft, rng: Random) -> Draft | None:
    """One letter of the name from another script."""
    letter = rng.choice(sorted(_CYRILLIC))
    if not any(letter in call.name for call in draft.reply.calls):
        return None
    return _naming(draft, lambda name: name.replace(letter, _CYRILLIC[letter], 1))


@mutator("name-misspelled", "writing", "name", Survival.EITHER)
def misspelled(draft: Draft, rng: Random) -> Draft | None:
    """A letter of the name dropped, doubled or swapped."""
    slips: list[Callable[[str], str]] = [lambda pair: pair[1:], lambda pair: pair[0] + pair, lambda pair: pair[::-1]]
    slip = rng.choice(slips)

    def spell(name: str) -> str:
        at = len(name) // 2
        return name[:at] + slip(name[at : at + 2]) + name[at + 2 :]

    return _naming(draft, spell)


@mutator("tool-name-special-characters", "meaning", "name")
def special_characters(draft: Draft, rng: Random) -> Draft | None:
    """Dots, hyphens, digits and capitals that belong to the registered name."""
    if not draft.reply.calls or draft.form.codec == "python":
        return None
    odd = {name: spell(name) for name, spell in zip(_names(draft), _spellings(rng), strict=False)}
    tools = [{**tool, "name": odd.get(tool["name"], tool["name"])} for tool in draft.tools]
    calls = tuple(Call(odd.get(call.name, call.name), call.arguments) for call in draft.reply.calls)
    return draft.but(tools=tools).with_calls(*calls)


def _names(draft: Draft) -> list[str]:
    return sorted({call.name for call in draft.reply.calls})


def _spellings(rng: Random) -> Sequence[Callable[[str], str]]:
    spellings: list[Callable[[str], str]] = [
        lambda name: f"office-api.{name}", lambda name: f"{name}2", lambda name: name.upper(),
        lambda name: f"mcp__harbour__{name}", lambda name: f"_{name}",
    ]  # fmt: skip
    rng.shuffle(spellings)
    return spellings


@mutator("unknown-tool", "meaning", "name")
def unknown_tool(draft: Draft, rng: Random) -> Draft | None:
    """A tool that is not on offer: returned under its own name, for the engine to report."""
    if draft.form is not FORMS[draft.dialect] or draft.habits is not TRAINED or not draft.reply.calls:
        return None  # with other damage, what was given to a tool without a schema cannot be told
    if draft.dialect not in _UNKNOWN_IS_PLAIN:
        return None
    name = rng.choice(("summon_kraken", "delegate_work", "mapProject"))
    return draft.with_calls(Call(name, {"depth": 2, "where": "north quay"}))


_UNKNOWN_IS_PLAIN = frozenset(
    {
        "react",
        "hermes",
        "mistral_v11",
        "kimi_k2",
        "nemotron_toolcall",
        "deepseek_v31",
        "harmony",
        "internlm2",
        "phi4_mini",
    }
)
