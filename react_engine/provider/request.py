"""A chat request in OpenAI's terms, checked and in the engine's values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from react_engine.errors import ConfigurationError
from react_engine.paths.turn import AnswerFormat
from react_engine.provider.messages import Conversation, read_messages
from react_engine.tools.function import tool_from_schema
from react_engine.tools.tool import Tool

SAMPLING = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "max_tokens",
    "max_completion_tokens",
    "seed",
    "presence_penalty",
    "frequency_penalty",
    "repeat_penalty",
    "logit_bias",
    "reasoning_effort",
)
"""What of a request is passed on to the model behind. Nothing else is: an address or a key in a request, above all."""
_MOST_TOOLS = 2000
_LONGEST_NAME = 128


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What a client wants. ``offer`` is the text of the tools, by which what is made of them can be kept."""

    conversation: Conversation
    tools: tuple[Tool, ...] = ()
    offer: str = ""
    choice: str = "auto"
    one_call: bool = False
    form: AnswerFormat | None = None
    response_format: Mapping[str, Any] | None = None
    stop: tuple[str, ...] = ()
    sampling: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_plain(self) -> bool:
        """Whether no tool is offered and none was called before: an ordinary conversation."""
        return not self.tools and not self.conversation.has_calls


def read_request(messages: Sequence[Any], parameters: Mapping[str, Any]) -> ChatRequest:
    """The request of a client; ``parameters`` is everything beside model and messages.

    Raises ConfigurationError that names the field, what was expected and what was found. Fields that nobody knows
    are left out; known ones that cannot be honoured are refused.
    """
    _refuse_what_cannot_be(parameters)
    tools, offer = _tools(parameters.get("tools"))
    response_format = parameters.get("response_format")
    return ChatRequest(
        conversation=read_messages(messages),
        tools=tools,
        offer=offer,
        choice=_choice(parameters.get("tool_choice"), tools),
        one_call=parameters.get("parallel_tool_calls") is False,
        form=_form(response_format),
        response_format=response_format if isinstance(response_format, Mapping) else None,
        stop=_stop(parameters.get("stop")),
        sampling=_sampling(parameters),
    )


def _refuse_what_cannot_be(parameters: Mapping[str, Any]) -> None:
    n = parameters.get("n")
    if n is not None and n != 1:
        raise ConfigurationError(f"n: one choice is given for a request, found {n!r:.40}. Send the request n times.")
    for name, advice in (
        ("functions", "Use tools."),
        ("function_call", "Use tool_choice."),
        ("logprobs", "A reply that was read out of a text has none."),
        ("top_logprobs", "A reply that was read out of a text has none."),
        ("audio", "Replies are text and calls."),
        ("prediction", "Leave it out."),
    ):
        if parameters.get(name):
            raise ConfigurationError(f"{name}: not supported. {advice}")


def _tools(given: Any) -> tuple[tuple[Tool, ...], str]:
    if not given:
        return (), ""
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise ConfigurationError(f"tools: expected a list, found {given!r:.60}.")
    if len(given) > _MOST_TOOLS:
        raise ConfigurationError(f"tools: expected at most {_MOST_TOOLS}, found {len(given)}.")
    try:
        texts = [json.dumps(tool, ensure_ascii=False, separators=(",", ":"), default=_plain) for tool in given]
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"tools: cannot be written as JSON: {error}.") from error
    made: dict[str, Tool] = {}
    for number, text in enumerate(texts):
        try:
            tool = _kept(text) if len(text) < _KEPT else _made(text)
        except ConfigurationError as error:
            raise ConfigurationError(f"tools[{number}]{error}") from error
        if tool.name in made:
            raise ConfigurationError(f"tools[{number}].function.name: {tool.name!r} is the name of another tool, too.")
        made[tool.name] = tool
    return tuple(made.values()), "\n".join(texts)


_KEPT = 10_000  # characters: tools that are described at greater length are made anew each time


@lru_cache(maxsize=2048)
def _kept(text: str) -> Tool:
    """Compiling a schema takes milliseconds, and a client sends the same tools with every request."""
    return _made(text)


def _made(text: str) -> Tool:
    """The tool that a client describes. Errors begin behind its place in the list."""
    return _tool(json.loads(text))


def _tool(described: Any) -> Tool:
    function = described.get("function") if isinstance(described, Mapping) else None
    if not isinstance(function, Mapping) or described.get("type", "function") != "function":
        raise ConfigurationError(
            f': expected {{"type": "function", "function": {{"name": …}}}}, found {described!r:.80}. '
            "Tools that run at a provider are not available."
        )
    name = function.get("name")
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME:
        raise ConfigurationError(
            f".function.name: expected a name of 1 to {_LONGEST_NAME} characters, found {name!r:.60}."
        )
    parameters = function.get("parameters")
    try:
        tool = tool_from_schema(
            name,
            str(function.get("description") or ""),
            parameters if parameters is not None else {},
            _never_run,
            pass_dict=True,
        )
        _ = tool.checker, tool.shape
    except ConfigurationError as error:
        raise ConfigurationError(f": {error}") from error
    except (RecursionError, TypeError, ValueError, AttributeError, LookupError) as error:
        raise ConfigurationError(f".function.parameters: no JSON Schema that can be used: {error!r:.200}.") from error
    return tool


def _never_run(arguments: dict[str, Any]) -> None:
    raise AssertionError("the client runs its own tools")


def _choice(given: Any, tools: Sequence[Tool]) -> str:
    names = [tool.name for tool in tools]
    if given is None or given == "auto":
        return "auto"
    if given in ("none", "required", "any"):
        if given != "none" and not tools:
            raise ConfigurationError(f"tool_choice: {given!r} needs tools, and there are none.")
        return "required" if given == "any" else str(given)
    if isinstance(given, Mapping):
        kind, function = given.get("type"), given.get("function")
        if kind in ("auto", "none", "required", "any") and function is None:
            return _choice(kind, tools)
        name = function.get("name") if isinstance(function, Mapping) else given.get("name")
        if isinstance(name, str):
            if name not in names:
                raise ConfigurationError(f"tool_choice: there is no tool named {name!r:.80}.")
            return name
    raise ConfigurationError(
        'tool_choice: expected "auto", "none", "required" or {"type": "function", "function": {"name": …}}, '
        f"found {given!r:.80}."
    )


def _form(given: Any) -> AnswerFormat | None:
    if given is None:
        return None
    kind = given.get("type") if isinstance(given, Mapping) else None
    if kind == "text":
        return None
    if kind == "json_object":
        return AnswerFormat()
    schema = given.get("json_schema") if isinstance(given, Mapping) else None
    if kind == "json_schema" and isinstance(schema, Mapping) and isinstance(schema.get("schema"), Mapping):
        try:
            return AnswerFormat(schema["schema"], "response_format")
        except ConfigurationError as error:
            raise ConfigurationError(f"response_format: {error}") from error
    raise ConfigurationError(
        'response_format: expected {"type": "text"}, {"type": "json_object"} or {"type": "json_schema", '
        f'"json_schema": {{"name": …, "schema": …}}}}, found {given!r:.80}.'
    )


def _stop(given: Any) -> tuple[str, ...]:
    if given is None:
        return ()
    words = tuple(given) if isinstance(given, list | tuple) else (given,)
    if not all(isinstance(word, str) for word in words):
        raise ConfigurationError(f"stop: expected a text or a list of texts, found {given!r:.60}.")
    return tuple(word for word in words if word)


def _sampling(parameters: Mapping[str, Any]) -> dict[str, Any]:
    extra = parameters.get("extra_body")
    said = {**(extra if isinstance(extra, Mapping) else {}), **parameters}
    sampling = {name: said[name] for name in SAMPLING if said.get(name) is not None}
    for name, value in sampling.items():
        kinds = {"logit_bias": Mapping, "reasoning_effort": str | Mapping}
        if isinstance(value, bool) or not isinstance(value, kinds.get(name, int | float)):
            raise ConfigurationError(f"{name}: expected a number, found {value!r:.40}.")
    for name in ("max_tokens", "max_completion_tokens"):
        if sampling.get(name, 1) < 1:
            raise ConfigurationError(f"{name}: expected at least 1, found {sampling[name]!r:.40}.")
    return sampling


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "model_dump"):
        return value.model_dump(exclude_none=True)
    raise TypeError(f"a value of type {type(value).__name__}")
