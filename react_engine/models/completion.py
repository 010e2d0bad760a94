"""Chat completions on the wire: a request as the JSON that is sent, a reply out of the JSON that came.

Servers that speak "OpenAI's format" differ in what they leave out, null, rename or nest. Everything
here takes what comes and never raises on its shape.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from react_engine.models.base import CallDelta, Chunk, ModelRequest, RawCall, Reply
from react_engine.models.profile import ModelProfile
from react_engine.types import Usage


def request_parameters(request: ModelRequest, profile: ModelProfile) -> dict[str, Any]:
    """The body of a request without model name and streaming: only what was asked for, nothing null.

    The profile's sampling parameters are defaults for the request's; None takes one out again. ``stop``
    is left out where the profile says that the server does not take it; a request with ``prompt``, or to
    a model that is no chat model, has ``prompt`` in place of ``messages`` and no tools.
    """
    body: dict[str, Any] = {}
    if asks_for_text(request, profile):
        body["prompt"] = request.prompt if request.prompt is not None else plain_prompt(request)
    else:
        body["messages"] = request.messages
        if request.tools:
            body["tools"] = request.tools
            if request.tool_choice is not None:
                body["tool_choice"] = request.tool_choice
            if request.parallel_tool_calls is not None:
                body["parallel_tool_calls"] = request.parallel_tool_calls
    if request.stop and profile.stop_words:
        body["stop"] = request.stop
    for name, value in (*profile.sampling.items(), *request.sampling.items()):
        if value is None:
            body.pop(name, None)
        else:
            body[name] = value
    body.update(request.extra)
    return body


def without_prefill(reply: Reply, request: ModelRequest) -> Reply:
    """What the model added: servers that go on with the last message of the assistant may repeat it."""
    last = request.messages[-1] if request.messages else {}
    begun = last.get("content") if last.get("role") == "assistant" else None
    if not begun or not isinstance(begun, str) or not reply.text.startswith(begun):
        return reply
    return replace(reply, text=reply.text[len(begun) :])


def asks_for_text(request: ModelRequest, profile: ModelProfile) -> bool:
    """Whether a request goes to ``/completions``: it has a prompt, or the model knows no chat."""
    return request.prompt is not None or not profile.chat


def plain_prompt(request: ModelRequest) -> str:
    """The texts of the messages, one after another: what a base model is shown when it is sent messages."""
    return "\n\n".join(text_of(message.get("content"))[0] for message in request.messages)


def reply_of(body: Mapping[str, Any], elapsed: float = 0.0) -> Reply | None:
    """The reply in a decoded body of ``/chat/completions`` or ``/completions``; None if it holds no choice."""
    choice = first_choice(body)
    if choice is None:
        return None
    message = _said(choice, "message", "delta")
    text, reasoning = texts(message)
    calls = tuple(RawCall(call.id, call.name, call.arguments) for call in calls_of(message))
    usage = usage_of(body) or Usage()
    return Reply(text, calls, reasoning or None, finish_of(choice), usage, elapsed, alternatives_of(choice))


def first_choice(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The first choice of a body, or None."""
    choices = body.get("choices")
    for choice in choices if isinstance(choices, list | tuple) else ():
        if isinstance(choice, Mapping) and not choice.get("index"):
            return choice
    return None


def _said(choice: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """The first of these members that is an object, or the choice itself, as in completions."""
    for name in names:
        value = choice.get(name)
        if isinstance(value, Mapping):
            return value
    return choice


def alternatives_of(choice: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    """The likely first tokens with their log-probabilities, as chat completions or completions write them."""
    told = choice.get("logprobs")
    if not isinstance(told, Mapping):
        return ()
    content, plain = told.get("content"), told.get("top_logprobs")
    first = content[0] if isinstance(content, list) and content else None
    if isinstance(first, Mapping):
        listed = first.get("top_logprobs") or [first]
        found = [(item.get("token"), item.get("logprob")) for item in listed if isinstance(item, Mapping)]
    elif isinstance(plain, list) and plain and isinstance(plain[0], Mapping):
        found = list(plain[0].items())
    else:
        return ()
    return tuple(
        (token, float(said)) for token, said in found if isinstance(token, str) and isinstance(said, int | float)
    )


def finish_of(choice: Mapping[str, Any]) -> str | None:
    """The finish reason as the server gave it; an empty one counts as none."""
    finish = choice.get("finish_reason")
    return finish if isinstance(finish, str) and finish else None


def texts(message: Mapping[str, Any]) -> tuple[str, str]:
    """Visible text and reasoning of a message, a delta or a completion choice."""
    text, thought = text_of(message.get("content"))
    if not text:  # completions have ``text``; a refusal stands in for the content
        text = text_of(message.get("text"))[0] or text_of(message.get("refusal"))[0]
    for name in ("reasoning_content", "reasoning", "thinking"):
        if value := message.get(name):
            visible, inner = text_of(value)
            thought += visible or inner
            break
    return text, thought


def text_of(content: Any) -> tuple[str, str]:
    """Text and reasoning in a ``content``: text, null, one part or a list of parts."""
    if isinstance(content, str):
        return content, ""
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, list | tuple):
        return "", ""
    visible, thought = [], []
    for part in content:
        if isinstance(part, Mapping) and part.get("type") in ("thinking", "reasoning"):  # Mistral nests a list in it
            thought.append(_part(part.get("thinking") or part.get("reasoning") or part.get("text")))
        else:
            visible.append(_part(part))
    return "".join(visible), "".join(thought)


def _part(part: Any) -> str:
    if isinstance(part, list | tuple):
        return "".join(_text(inner) for inner in part)
    return _text(part)


def _text(part: Any) -> str:
    if isinstance(part, Mapping):
        part = part.get("text") or part.get("refusal")
    return part if isinstance(part, str) else ""


def calls_of(message: Mapping[str, Any]) -> Iterable[CallDelta]:
    """The native calls of a message or delta, with the server's index or -1 where it gave none."""
    calls = message.get("tool_calls") or ()
    if isinstance(calls, Mapping):
        calls = (calls,)
    found = [_call(call) for call in calls if isinstance(call, Mapping)] if isinstance(calls, list | tuple) else []
    function = message.get("function_call")  # the API before tools; beside tool_calls only a repetition
    if not found and isinstance(function, Mapping):
        found.append(_call({"index": 0, "function": function}))
    return found


def _call(call: Mapping[str, Any]) -> CallDelta:
    function = call.get("function") or call.get("custom") or call
    if not isinstance(function, Mapping):
        function = call
    index, identity, name = call.get("index"), call.get("id"), function.get("name")
    arguments = function.get("arguments", function.get("input"))
    return CallDelta(
        index if isinstance(index, int) and index >= 0 else -1,
        str(identity) if isinstance(identity, str | int) else "",
        name if isinstance(name, str) else "",
        arguments if isinstance(arguments, str) else "" if arguments is None else _json(arguments),
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def usage_of(body: Mapping[str, Any]) -> Usage | None:
    """The tokens that a body reports, or None. Missing counts are derived from the total where it is there."""
    usage = body.get("usage")
    if not isinstance(usage, Mapping):
        return None
    prompt = _count(usage, "prompt_tokens", "input_tokens")
    completion = _count(usage, "completion_tokens", "output_tokens")
    total = _count(usage, "total_tokens")
    details = usage.get("prompt_tokens_details")
    cached = _count(details, "cached_tokens") if isinstance(details, Mapping) else 0
    if total and not completion:
        completion = max(total - prompt, 0) if prompt else 0
    if total and not prompt:
        prompt = max(total - completion, 0)
    return Usage(prompt, completion, cached or _count(usage, "prompt_cache_hit_tokens"))  # the latter: DeepSeek


def _count(values: Mapping[str, Any], *names: str) -> int:
    for name in names:
        value = values.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e15:
            return int(value)
    return 0


def chunk_of(body: Mapping[str, Any]) -> Chunk:
    """The chunk in one decoded event of a stream; the indexes of its calls are the server's, or -1."""
    choice = first_choice(body)
    usage = usage_of(body)
    if choice is None:
        return Chunk(usage=usage)
    delta = _said(choice, "delta", "message")
    text, reasoning = texts(delta)
    return Chunk(text, reasoning, tuple(calls_of(delta)), finish_of(choice), usage)
