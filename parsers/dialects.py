"""Dialects as data: one record says how a family of models writes calls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from react_engine.errors import ConfigurationError

Frame = Literal["labels", "marked", "object"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one family writes calls.

    ``frame``: ``labels`` (ReAct text), ``marked`` (calls between markers), ``object`` (a JSON object, fenced or
    bare). ``openers`` and ``closers`` are the literal markers around the calls; a marker may be shared between
    dialects, since what stands behind it tells them apart. ``stop`` are the words that end a turn in which a
    call was made. ``results`` are openers of the block in which results are fed back: a model that writes one
    itself invents. ``template`` is the stem of the prompt templates, None where the family brings its own.
    """

    name: str
    frame: Frame
    openers: tuple[str, ...] = ()
    closers: tuple[str, ...] = ()
    stop: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    template: str | None = None


_REACT_STOP = ("\nObservation:", "\n观察:", "\n观察：")

DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        Dialect("react", "labels", stop=_REACT_STOP, template="react"),
        Dialect("react_answer", "labels", stop=_REACT_STOP),
        Dialect("react_json", "labels", stop=_REACT_STOP),
        Dialect("toolllama_react", "labels", stop=("\nObservation:", "End Action")),
        Dialect("json_fenced", "object"),
        Dialect("json_array", "object"),
        Dialect("llama3_json", "object", ("<|python_tag|>",), ()),
        Dialect("hermes", "marked", ("<tool_call>",), ("</tool_call>",), results=("<tool_response>",)),
        Dialect("exaone4", "marked", ("<tool_call>",), ("</tool_call>",), results=("<tool_result>",)),
        Dialect("ernie45", "marked", ("<tool_call>",), ("</tool_call>",)),
        Dialect("longcat", "marked", ("<longcat_tool_call>",), ("</longcat_tool_call>",)),
        Dialect("nemotron_toolcall", "marked", ("<TOOLCALL>",), ("</TOOLCALL>",), results=("<TOOL_RESPONSE>",)),
        Dialect("nemotron_mini", "marked", ("<toolcall>",), ("</toolcall>",)),
        Dialect("minimax_m1", "marked", ("<tool_calls>",), ("</tool_calls>",)),
        Dialect("tool_calls_array", "marked", ("<tool_calls>",), ("</tool_calls>",), results=("<|tool_result|>",)),
        Dialect("granite3", "marked", ("<|tool_call|>", "<tool_call>"), ()),
        Dialect(
            "granite_20b_fc", "marked", ("<function_call>",), ("</function_call>",), results=("<function_response>",)
        ),
        Dialect("phi4_mini", "marked", ("<|tool_call|>",), ("<|/tool_call|>",)),
        Dialect("functools", "marked", ("functools[",), ()),
        Dialect(
            "internlm2", "marked", ("<|action_start|><|plugin|>", "<|action_start|> <|plugin|>"), ("<|action_end|>",)
        ),
        Dialect("apertus", "marked", ("<|tools_prefix|>",), ("<|tools_suffix|>",)),
        Dialect("mistral_v3", "marked", ("[TOOL_CALLS]",), (), results=("[TOOL_RESULTS]",)),
        Dialect(
            "cohere_action", "marked", ("<|START_ACTION|>",), ("<|END_ACTION|>",), results=("<|START_TOOL_RESULT|>",)
        ),
        Dialect("tools_tag", "marked", ("<tools>", "<tool>"), ("</tools>", "</tool>")),
    )
}
"""The dialects that the reader knows by name. ``tools_tag`` is what Qwen2.5-Coder writes when it echoes its prompt."""

# Families under which people know several dialects at once.
FAMILIES: dict[str, str] = {
    "llama3": "llama3_json",
    "granite": "granite3",
    "mistral": "mistral_v3",
    "nemotron": "nemotron_toolcall",
}


def dialect_named(name: str) -> Dialect:
    """The record of a dialect or family. Raises ConfigurationError with the close names."""
    key = FAMILIES.get(name, name)
    if key in DIALECTS:
        return DIALECTS[key]
    close = get_close_matches(name, list(DIALECTS), n=3)
    advice = f"Did you mean {' or '.join(close)}?" if close else f"Known dialects: {', '.join(sorted(DIALECTS))}."
    raise ConfigurationError(f"There is no dialect named {name!r}. {advice}")


def markers(dialects: Iterable[Dialect] = ()) -> tuple[list[str], list[str], list[str]]:
    """(openers, closers, openers of results) over the dialects, longest first; over all when none is given."""
    chosen = list(dialects) or list(DIALECTS.values())
    gathered = ({word for dialect in chosen for word in words(dialect)} for words in (_openers, _closers, _results))
    opening, closing, results = (sorted(words, key=lambda word: (-len(word), word)) for words in gathered)
    return opening, closing, results


def _openers(dialect: Dialect) -> tuple[str, ...]:
    return dialect.openers


def _closers(dialect: Dialect) -> tuple[str, ...]:
    return dialect.closers


def _results(dialect: Dialect) -> tuple[str, ...]:
    return dialect.results
