"""A turn in the shapes of litellm: what a native model behind OpenAI's API would have sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from react_engine.models.litellm_runtime import load
from react_engine.provider.backend import note_of
from react_engine.turn import Turn
from react_engine.types import ToolCall

NOTE = "react_engine"
"""The name of the field in ``provider_specific_fields`` that says how a reply came about."""
PIECE = 256
"""Characters of arguments in one chunk. They are known whole: a call is sent when it is certain to be one."""


@cache
def _shapes() -> Any:
    return load("litellm.types.utils")


def response(blank: Any, model: str, turn: Turn) -> Any:
    """A whole reply, filled into litellm's blank one."""
    shapes = _shapes()
    made = blank if blank is not None else shapes.ModelResponse()
    note = note_of(turn)
    calls = [_call(call) for call in turn.calls] or None
    message = shapes.Message(
        role="assistant",
        content=turn.text or (None if calls else ""),
        tool_calls=calls,
        reasoning_content=turn.reasoning,
        provider_specific_fields={NOTE: note},
    )
    made.model = model
    made.choices = [shapes.Choices(finish_reason=turn.finish_reason, index=0, message=message)]
    if (usage := _usage(turn)) is not None:
        made.usage = usage
    hidden = made._hidden_params
    headers: dict[str, str] = {"x-react-engine-path": turn.path}
    if "problem" in note:
        headers["x-react-engine-problem"] = _header(note["problem"])
    hidden["additional_headers"] = {**(hidden.get("additional_headers") or {}), **headers}
    return made


def first_chunk(head: Mapping[str, Any]) -> Any:
    """The chunk that a stream begins with."""
    return chunk(head, {"role": "assistant", "content": ""})


def chunk(head: Mapping[str, Any], delta: Mapping[str, Any], finish: str | None = None) -> Any:
    """One chunk of a stream."""
    shapes = _shapes()
    choice = shapes.StreamingChoices(index=0, delta=shapes.Delta(**delta), finish_reason=finish)
    return shapes.ModelResponseStream(**head, choices=[choice])


def final_chunks(head: Mapping[str, Any], turn: Turn) -> Iterator[Any]:
    """What follows the text of a stream: calls, name and id first, usage and the end; and how the turn came about."""
    note = {"provider_specific_fields": {NOTE: note_of(turn)}}
    if not turn.calls:
        yield chunk(head, note)
    for index, call in enumerate(turn.calls):
        shaped = _call(call)
        arguments = shaped["function"]["arguments"]
        begun = {**shaped, "function": {"name": call.name, "arguments": ""}}
        # A delta of its own for the note would begin an empty block of text in other APIs' streams.
        yield chunk(head, {"tool_calls": [{"index": index, **begun}], **({} if index else note)})
        for at in range(0, len(arguments), PIECE):
            yield chunk(head, {"tool_calls": [{"index": index, "function": {"arguments": arguments[at : at + PIECE]}}]})
    if (usage := _usage(turn)) is not None:
        counted = chunk(head, {})
        counted.usage = usage
        yield counted
    yield chunk(head, {}, turn.finish_reason)


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = json.dumps(call.arguments, ensure_ascii=False, default=str)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _usage(turn: Turn) -> Any:
    """The tokens, all repairs included; None where the server did not count them, so that litellm estimates."""
    shapes, used = _shapes(), turn.usage
    if not used.total_tokens:
        return None
    details = shapes.PromptTokensDetailsWrapper(cached_tokens=used.cached_tokens) if used.cached_tokens else None
    return shapes.Usage(
        prompt_tokens=used.prompt_tokens,
        completion_tokens=used.completion_tokens,
        total_tokens=used.total_tokens,
        prompt_tokens_details=details,
    )


def _header(text: str) -> str:
    """A text as the value of a header: short, one line, no sign that headers do not take."""
    line = " ".join(text.split())[:300]
    return line.encode("ascii", "replace").decode()
