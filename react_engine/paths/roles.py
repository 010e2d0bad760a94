"""Role rules of chat templates: no system message, no two messages of one role in a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from react_engine.models.profile import ModelProfile

Message = dict[str, Any]


def fit_roles(messages: Sequence[Message], profile: ModelProfile, *, merge: bool = False) -> tuple[Message, ...]:
    """The messages as the model's template takes them.

    System text goes in front of the first user message where the template refuses a system role; with
    ``merge``, or where the profile says so, neighbours of one role become one message.
    """
    fitted = list(messages)
    if profile.system_role == "user":
        fitted = _system_into_user(fitted)
    return tuple(_merged(fitted) if merge or profile.merge_roles else fitted)


def _system_into_user(messages: list[Message]) -> list[Message]:
    system = "\n\n".join(message["content"] for message in messages if message["role"] == "system")
    rest = [message for message in messages if message["role"] != "system"]
    if not system:
        return rest
    for number, message in enumerate(rest):
        if message["role"] == "user":
            rest[number] = {**message, "content": _joined(system, message["content"])}
            return rest
    return [{"role": "user", "content": system}, *rest]


def _merged(messages: list[Message]) -> list[Message]:
    merged: list[Message] = []
    for message in messages:
        last = merged[-1] if merged else None
        if last is not None and last["role"] == message["role"] and message["role"] in ("user", "system", "assistant"):
            if "tool_calls" not in last and "tool_calls" not in message:
                merged[-1] = {**last, "content": _joined(last["content"], message["content"])}
                continue
        merged.append(message)
    return merged


def _joined(first: Any, second: Any) -> Any:
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}" if first and second else first or second
    return [*_as_parts(first), *_as_parts(second)]


def _as_parts(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or [])


def user_content(text: str, parts: Sequence[Any]) -> Any:
    """The content of a user message: text, or parts where it carries more than text."""
    if not parts:
        return text
    return [*([{"type": "text", "text": text}] if text else []), *map(dict, parts)]
