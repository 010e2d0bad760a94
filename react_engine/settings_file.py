"""The commented ``react-engine.toml`` that ``react-engine init`` writes: every key, with its default."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from react_engine.limits import Limits
from react_engine.models.record import FIELD_NAMES, SAMPLING_NAMES
from react_engine.settings import Settings
from react_engine.settings_sections import RequestSettings, TemplateSettings, ToolSettings

_HEAD = """\
# Settings of react-engine. Every line below shows a default: take the # away to change it.
# Variables go before this file (REACT_ENGINE_MODEL, REACT_ENGINE_LIMITS__STEPS, ...), arguments before both.
"""

_LIMITS = {
    "steps": 'Replies of the model in one run. In this section "none" takes a limit away.',
    "calls": "Calls of tools in one run.",
    "tokens": "Tokens of prompts and replies together.",
    "seconds": "Seconds of wall time.",
    "money": "US dollars, where the price of the model is known.",
    "format_retries": "Replies in a row that could not be read.",
    "repeat_warn": "How often the same call with the same result is made before the model is warned, ...",
    "repeat_refuse": "... before the call is refused, ...",
    "repeat_stop": "... and before the run ends.",
}

_SAMPLING = {
    "temperature": ("0.0", "How freely the model chooses, 0 to 5."),
    "top_p": ("0.95", "Keep the most likely tokens up to this share."),
    "top_k": ("40", "Keep so many of the most likely tokens."),
    "min_p": ("0.05", "Drop tokens less likely than this share of the most likely one."),
    "max_tokens": ("1024", "The longest reply."),
    "seed": ("1", "The same seed gives the same reply, where the server can."),
    "presence_penalty": ("0.0", "Against what was said, -2 to 2."),
    "frequency_penalty": ("0.0", "Against what was said often, -2 to 2."),
    "repeat_penalty": ("1.1", "Against repetition, on llama.cpp and its like."),
    "reasoning_effort": ('"low"', "For reasoning models."),
}

_MODEL = {
    "function_calling": ("true", 'true: native path, false: prompt path, "auto": the table decides.'),
    "dialect": ('"react"', "The text format of calls on the prompt path."),
    "parallel_calls": ("true", "Several calls in one reply."),
    "strict": ("false", "The server takes strict schemas."),
    "system_role": ('"system"', 'Where system text stands; "user" puts it in front of the first user message.'),
    "merge_roles": ("false", "The server refuses two messages of one role in a row."),
    "chat": ("true", "false for base models, which continue a text."),
    "stop_words": ("true", "The server takes stop."),
    "continues": ("false", "The server goes on with a reply that was begun for it; small models keep the form better."),
    "thoughts": ("true", "Steps in ReAct have a thought. The smallest models choose better without."),
    "grounded": ("false", "Calls with values that nobody said are objected to; for small models."),
    "reasoning": ('[["<think>", "</think>"]]', "Markers around reasoning."),
    "calls_in_reasoning": ("false", "Calls written in reasoning are meant."),
    "context_length": ("8192", "Tokens that fit into the model's context."),
    "constraints": (
        '["json_schema"]',
        'Constrained decoding that the server takes: "gbnf", "json_schema", "structured_outputs".',
    ),
    "constraint": ('"off"', 'The one used on the prompt path: "on" for the first, a form, "off", "auto".'),
    "gate": (
        "[0.01, 0.2]",
        'Ask first how likely an answer without a tool is: below the first use one, from the second on answer. Or "off".',
    ),
    "client": ('"http"', '"http" for an OpenAI-shaped server, "litellm" for everything else, "local" in-house.'),
    "served_name": ('"llama3.1"', "The name that is sent to the server."),
    "api_base": ('"http://127.0.0.1:11434/v1"', "The address of the server."),
    "api_key_env": ('"MY_KEY"', "The variable that holds the key. The key itself never stands here."),
    "sampling": ("{ temperature = 0.2 }", "Sampling parameters of this model."),
}


def template() -> str:
    """The text of the file. It is valid as it is, and sets nothing."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _HEAD
    for name, default, explanation in _defaults(Settings()):
        yield from _key(name, _toml(default, '"react"'), explanation)
    limits = Limits()
    yield from ("", "[limits]")
    for name, explanation in _LIMITS.items():
        yield from _key(name, _toml(getattr(limits, name), '"none"'), explanation)
    for title, section in (
        ("requests", RequestSettings()),
        ("templates", TemplateSettings()),
        ("tools", ToolSettings()),
    ):
        yield from ("", f"[{title}]")
        for name, default, explanation in _defaults(section):
            yield from _key(name, _toml(default, '"templates"'), explanation)
    yield from (
        "",
        "# Sampling parameters for models that set none of their own; left out, the server decides.",
        "[sampling]",
    )
    for name in SAMPLING_NAMES:
        yield from _key(name, *_SAMPLING[name])
    yield from _key("extra", "{ mirostat = 2 }", "Parameters that only your server knows.")
    yield from (
        "",
        "# A text format of your own; docs/dialects.md has its keys.",
        "# [dialects.mine]",
        '#like = "hermes"',
        "",
    )
    yield "# What is different about a model: by its name, or for all that match a pattern with * and ?."
    yield "# `react-engine models show NAME` prints what is known of one, and who says so."
    yield '# [models."ollama/*"]'
    for name in FIELD_NAMES:
        yield from _key(name, *_MODEL[name])


def _defaults(section: Any) -> Iterator[tuple[str, Any, str]]:
    for item in fields(section):
        if "explanation" in item.metadata:
            yield item.name, getattr(section, item.name), item.metadata["explanation"]


def _key(name: str, value: str, explanation: str) -> tuple[str, str]:
    return f"# {explanation}", f"#{name} = {value}"


def _toml(value: Any, example: str) -> str:
    """A value in TOML; what is not set by default is shown by an example."""
    if value is None:
        return example
    return json.dumps(list(value) if isinstance(value, tuple) else value)
