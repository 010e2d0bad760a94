"""The messages of a chat request, in OpenAI's shape, as a transcript; what cannot be meant is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from react_engine.errors import ConfigurationError
from react_engine.types import Message, Status, ToolCall, ToolResult, Transcript


@dataclass(frozen=True, slots=True)
class Conversation:
    """System text from the top of a conversation, and what was said after it."""

    instructions: str
    transcript: Transcript

    @property
    def has_calls(self) -> bool:
        """Whether tools were called in it."""
        return any(message.calls or message.results for message in self.transcript)


def read_messages(messages: Sequence[Any]) -> Conversation:
    """The conversation in a request. Raises ConfigurationError that names the message and what is wrong with it.

    Every result must answer a call of the assistant's turn before it, each call at most once. A call without a
    result is allowed: the model is told that it was not run.
    """
    if not isinstance(messages, Sequence) or isinstance(messages, str) or not messages:
        raise ConfigurationError("messages: expected a list with at least one message.")
    instructions: list[str] = []
    said: list[Message] = []
    open_calls: list[ToolCall] = []
    for number, message in enumerate(messages):
        where = f"messages[{number}]"
        if not isinstance(message, Mapping):
            raise ConfigurationError(f"{where}: expected an object with role and content, found {message!r:.60}.")
        role = message.get("role")
        if role in ("system", "developer"):
            text, _ = _content(message, where)
            if said:
                said.append(Message.system(text))
            else:
                instructions.append(text)
        elif role == "user":
            text, parts = _content(message, where)
            said.append(Message("user", text, parts=parts))
        elif role == "assistant":
            said.append(_assistant(message, where))
            open_calls = list(said[-1].calls)
        elif role in ("tool", "function"):
            _result(said, open_calls, message, where)
        else:
            raise ConfigurationError(
                f"{where}.role: expected system, developer, user, assistant or tool, found {role!r:.60}."
            )
        if role not in ("assistant", "tool", "function"):
            open_calls = []
    return Conversation("\n\n".join(filter(None, instructions)), tuple(said))


def _content(message: Mapping[str, Any], where: str) -> tuple[str, tuple[Mapping[str, Any], ...]]:
    """The text, and the parts as they came where one of them is not text."""
    content = message.get("content")
    if content is None:
        return "", ()
    if isinstance(content, str):
        return content, ()
    if not isinstance(content, Sequence) or not all(isinstance(part, Mapping) for part in content):
        raise ConfigurationError(f"{where}.content: expected text or a list of parts, found {content!r:.60}.")
    texts = [_text(part) for part in content]
    if any(text is None for text in texts):
        return "", tuple(content)
    return "\n".join(text for text in texts if text), ()


def _text(part: Mapping[str, Any]) -> str | None:
    if part.get("type") in ("text", "input_text", "output_text", "refusal"):
        return str(part.get("text") or part.get("refusal") or "")
    return None


def _assistant(message: Mapping[str, Any], where: str) -> Message:
    text, parts = _content(message, where)
    text = text or "\n".join(filter(None, map(_text, parts)))
    thought = message.get("reasoning_content")
    given = message.get("tool_calls")
    old = message.get("function_call")
    if given is None and isinstance(old, Mapping):
        given = [{"id": "", "function": old}]
    if given is not None and not isinstance(given, Sequence):
        raise ConfigurationError(f"{where}.tool_calls: expected a list, found {given!r:.60}.")
    calls = tuple(_call(call, f"{where}.tool_calls[{number}]") for number, call in enumerate(given or ()))
    return Message.assistant(text, thought=thought if isinstance(thought, str) else None, calls=calls)


def _call(call: Any, where: str) -> ToolCall:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise ConfigurationError(f"{where}: expected a call of a function with a name, found {call!r:.60}.")
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments) if arguments.strip() else {}
        except (ValueError, RecursionError) as error:
            raise ConfigurationError(f"{where}.function.arguments: expected JSON: {error}.") from error
    if not isinstance(arguments, Mapping | None):
        raise ConfigurationError(f"{where}.function.arguments: expected a JSON object, found {arguments!r:.60}.")
    return ToolCall(function["name"], dict(arguments or {}), str(call.get("id") or ""))


def _result(said: list[Message], open_calls: list[ToolCall], message: Mapping[str, Any], where: str) -> None:
    """Put a result to the calls that it belongs to. Two calls with one id are answered in their order."""
    given = message.get("tool_call_id")
    if message.get("role") == "function":
        call = next((call for call in open_calls if call.name == message.get("name")), None)
    else:
        call = next((call for call in open_calls if call.id and call.id == given), None)
    if call is None:
        raise ConfigurationError(
            f"{where}: a result must answer a call of the assistant's message before it, once; there is no open call "
            f"with the id {given!r:.60}."
        )
    open_calls.remove(call)
    text, parts = _content(message, where)
    shown = [part for part in parts if _text(part) is None]
    text = text or "\n".join(filter(None, map(_text, parts)))
    result = ToolResult(call.id, call.name, Status.SUCCESS, text)
    last = max(number for number, entry in enumerate(said) if entry.role == "assistant")
    if last + 1 < len(said):
        said[last + 1] = Message.tool([*said[last + 1].results, result])
    else:
        said.append(Message.tool([result]))
    if shown:  # no chat API takes an image as a result: it follows as the user's
        said.append(Message("user", "", parts=tuple(shown)))
