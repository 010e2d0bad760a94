"""What servers say when they refuse a part of a request, as data.

Wordings were collected from the servers' sources and from what their users reported; the comment
names the server. ``classify`` reads them in order, so narrower wordings stand before wider ones.
"""

from __future__ import annotations

import re
from typing import NamedTuple

READ = 4000
"""Characters of a server's message that are looked at: the longest real wording needs a fifth of it."""


class Refusal(NamedTuple):
    """``feature`` is what was refused; ``wording`` a pattern that only this refusal contains."""

    feature: str
    wording: re.Pattern[str]


def _refusals(feature: str, *wordings: str) -> list[Refusal]:
    return [Refusal(feature, re.compile(wording, re.IGNORECASE)) for wording in wordings]


_NOT = r"(?:does not|doesn[’']t|do not|don[’']t|cannot|can[’']t|not)"
_USE = r"[`'\"]?(?:tools|tool(?:[ /-]function)?[ _-](?:use|usage|calls?|calling)|functions?(?:[ _-]call(?:s|ing)?)?)\b[`'\"]?"

REFUSALS: tuple[Refusal, ...] = tuple(
    _refusals(
        "context",
        r"context_length_exceeded|exceed_context_size_error|context_window_exceeded",  # OpenAI, llama.cpp
        r"maximum context (?:length|limit)",  # OpenAI, vLLM
        r"exceeds? (?:the )?(?:available |maximum |model's )?context (?:size|length|limit|window)",  # llama.cpp, Anthropic
        r"context size has been exceeded",  # llama.cpp, while generating
        r"longer than the (?:model's context length|maximum model length)",  # SGLang, vLLM
        r"exceeds? the maximum (?:allowed|input) length|exceeds the maximum number of tokens",  # SGLang, Gemini
        r"(?:prompt|input) is too long|input too long:",  # Anthropic, Bedrock
        r"input tokens exceed the configured limit|exceeds? the (?:model's )?input (?:token )?limit",  # OpenAI
        r"trying to keep the first \d+ tokens",  # LM Studio
        r"`inputs` tokens \+ `max_new_tokens` must be",  # text-generation-inference
        r"current length is \d+ while limit is",  # Cerebras
        r"max_tokens must be at least 1, got -",  # vLLM: the prompt leaves no room
        r"reduce the length of the (?:messages|prompt|input)",  # OpenAI
        r"request too large for model",  # Groq: more tokens than a minute allows
    )
    + _refusals(
        "tools",
        r"tool.choice.{0,40}requires.{0,40}--(?:enable-auto-tool-choice|tool-call-parser)",  # vLLM
        r"tools? param requires --jinja",  # llama.cpp
        r"currently only named tools are supported",  # vLLM 0.5
        r"no endpoints found that support tool use",  # OpenRouter
        r"no connected provider supports tool calling",  # co/core
        rf"\b{_NOT} (?:currently )?support (?:native |the use of |the )?{_USE}",  # Ollama, Groq, DeepSeek, Bedrock
        rf"\b{_USE}(?: (?:parameters?|fields?|arguments?|with function calling))?"
        r"(?: is| are)?(?: currently)? (?:not (?:supported|enabled|available)|unsupported|disabled)\b",  # Gemini, Groq
        r"only user, (?:system,? and assistant|assistant,? and system|system, assistant) roles are supported",
    )
    + _refusals(
        "tool_choice",
        r"support this `?tool_?choice|invalid tool_choice type|tool_?choice\.\w+ field",  # DeepSeek, LM Studio, Bedrock
        r"only allowed string values for 'tool_choice'|tool_choice\W{1,3}value must be",  # Groq
        r"tool_choice\b[^.\n]{0,60}\b(?:not supported|unsupported|not permitted|expected one of)",
    )
    + _refusals(
        "parallel_tool_calls",
        r"parallel_tool_calls\b[^.\n]{0,60}\b(?:not supported|unsupported|not permitted)",
        r"only supports single tool-calls at once",  # the chat template of Llama 3.1
    )
    + _refusals(
        "strict",
        r"additionalproperties' is required to be supplied|'required' is required to be supplied",  # OpenAI
        r"\bstrict\b[^.\n]{0,40}\b(?:not supported|unsupported|not permitted)",
    )
    + _refusals(
        "constraint",
        r"(?:failed|unable) to (?:parse|compile|convert|initiali[sz]e)[^.\n]{0,30}(?:grammar|samplers?|json.?schema)",  # llama.cpp
        r"(?:grammar|response_format|json_schema|structured_outputs|guided_\w+)\b[^.\n]{0,40}"
        r"\b(?:not supported|unsupported|unavailable)",  # DeepSeek: "This response_format type is unavailable now"
        r"'response_format\.type' must be|not support response format",  # LM Studio, Groq
    )
    + _refusals("schema", r"invalid schema for function|invalid_function_parameters")  # OpenAI
    + _refusals(
        "stop",
        r"not support (?:the )?`?'?(?:stop_?sequences?|stop words?|stop)'?`? ?(?:parameter|with|$)",  # Vertex
        r"\bstop'? (?:sequences? |words? )?(?:is|are) (?:not supported|unsupported)",  # OpenAI o-series, GPT-5
    )
    + _refusals(
        "system",
        r"system role (?:is )?not supported|role 'system' is not supported",  # Gemma's template, Anthropic
        r"does not support '(?:system|developer)'|system messages? (?:is|are) not supported",  # OpenAI o1
        r"developer instruction is not enabled|system instructions? (?:is|are) not (?:enabled|supported)",  # Gemini
        r"only user and (?:assistant|model) roles are supported",  # Mistral's and Zephyr's templates
        r"system message must be at the beginning",  # Qwen's template
    )
    + _refusals(
        "roles",
        r"roles must alternate|must alternate between",  # templates of Mistral, Gemma, Llama 2; Bedrock
        r"(?:successive|consecutive) (?:user|assistant)(?: (?:or|and) assistant)? messages",  # DeepSeek
        r"unexpected role '\w+' after role|expected last role|unexpected message role",  # Mistral, Qwen
        r"first message must (?:use|be|have) (?:the )?[\"']?user|last message must (?:use|be|have|come from)",
    )
)

_PARAMETER = re.compile(
    r"""
      unsupported\ (?:param(?:eter)?|value|field|argument)s?:?\ ['"`]?(?P<a>\w[\w.\[\]]*)  # OpenAI, llama.cpp
    | unrecognized\ request\ arguments?\ supplied:\ (?P<b>\w+)                        # OpenAI, older
    | property\ ['"`](?P<c>\w+)['"`]\ is\ unsupported                                 # Groq
    | unknown\ (?:name|field|param(?:eter)?|argument):?\ \\?['"`]?(?P<d>\w[\w.\[\]]*) # Gemini, serde, OpenAI
    | ["'](?:body)["'],\ ?["'](?P<e>\w+)["'](?=[^{}]{0,80}not\ permitted)             # pydantic: vLLM, Mistral
    | \#/(?P<f>\w+):\ extra\ inputs                                                   # Azure
    | does\ not\ support\ parameters?:\ [\[{(]?['"]?(?P<h>\w+)                         # litellm, before it sends
    | (?:parameter|argument)\ ['"`]?(?P<g>\w+)['"`]?\ is\ (?:not\ supported|unsupported)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REFUSED_CODES = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})
_ALIASES = {
    "grammar": "constraint",
    "response_format": "constraint",
    "structured_outputs": "constraint",
    "functions": "tools",
    "function_call": "tool_choice",
    "stopsequences": "stop",
    "toolconfig": "tools",
}


def classify(message: str, *, param: str = "", code: str = "") -> str | None:
    """The part of a request that an error message refuses, or None.

    ``context``, ``tools``, ``tool_choice``, ``parallel_tool_calls``, ``strict``, ``schema``, ``stop``,
    ``system``, ``roles``, or the name of any other parameter of the request. ``param`` and ``code``
    are the fields of that name in OpenAI's error object.
    """
    text = f"{message[:READ]}\n{code}"
    for refusal in REFUSALS:
        if refusal.wording.search(text):
            return refusal.feature
    if code in _REFUSED_CODES and param:
        return _name(param)
    if found := _PARAMETER.search(text):
        return _name(next(name for name in found.groups() if name))
    return None


def _name(path: str) -> str:
    last = re.split(r"[.\[\]]+", path.strip(".[]"))[-1]
    return _ALIASES.get(last.lower(), last)
