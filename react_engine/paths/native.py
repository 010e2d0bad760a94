"""The native path: ``tools`` in the request, ``tool_calls`` in the reply.

Rendering keeps three invariants by construction, whatever the transcript holds: the assistant's calls are
kept, each has exactly one result with its id, and every content and every arguments field is a string.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import structs

from react_engine.models.base import Chunk, ModelRequest, RawCall, Reply
from react_engine.models.profile import ModelProfile
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.labels import begins_with_label
from react_engine.parsers.plain import plain_text
from react_engine.parsers.reader import read, was_cut
from react_engine.parsers.stream import TextStream
from react_engine.paths.base import Ask, Delta, PathReading, ToolChoice
from react_engine.paths.native_calls import read_native_call, unique_ids
from react_engine.paths.notes import result_text
from react_engine.paths.roles import fit_roles, user_content
from react_engine.tools.schema import drop_nulls, openai_tool, wire_names
from react_engine.tools.tool import Tool
from react_engine.types import Message, PathName, Problem, Reading, ToolCall, ToolResult

# Fewer prompt tokens than one for every eight characters of the tools alone: the server did not show them to the
# model. JSON takes a token for three to four characters, and templates add instructions of their own.
_CHARACTERS_PER_TOKEN = 8
_SMALLEST_TOOL_TEXT = 300
_READABLE = json.JSONEncoder(ensure_ascii=False, default=str)

_Shown = dict[tuple[int, int, int], tuple[Message, Message | None, list[dict[str, Any]]]]
"""Messages of a transcript with what follows them, rendered."""


class NativePath:
    """Speaks with a model through ``tools`` and ``tool_calls``."""

    name: PathName = "native"

    def __init__(
        self,
        profile: ModelProfile,
        tools: Sequence[Tool],
        instructions: str = "",
        *,
        repair: Callable[[str, Sequence[Problem]], str] | None = None,
        guide: str = "",
        omitted: frozenset[str] = frozenset(),
    ) -> None:
        self.profile = profile
        self.tools = {tool.name: tool for tool in tools}
        self.index = ToolIndex(tools)
        self.instructions = instructions
        self._to_wire = wire_names(list(self.tools))
        self._from_wire = {wire: name for name, wire in self._to_wire.items()}
        self._strict = {tool.name: profile.strict and _is_strict(tool) for tool in tools}
        self._wire_tools = tuple(self._wire_tool(tool) for tool in tools)
        self._tool_characters = len(json.dumps(self._wire_tools, ensure_ascii=False)) if tools else 0
        self._repair = repair
        self._guide = guide
        self.omitted = omitted
        self._shown: _Shown = {}

    def request(self, ask: Ask) -> ModelRequest:
        """The request for the next step."""
        messages: list[dict[str, Any]] = []
        if system := "\n\n".join(filter(None, (self.instructions, self._guide if ask.guided else ""))):
            messages.append({"role": "system", "content": system})
        messages.extend(self.messages(ask.transcript))
        for slip in ask.slips:
            messages.append({"role": "user", "content": self._repair_text(slip.raw, slip.problems)})
        if ask.forced:
            messages.append({"role": "user", "content": ask.forced})
        choice = "none" if ask.forced else ask.tool_choice
        has_tools = bool(self._wire_tools)
        sampling = {**self.profile.sampling, **(ask.sampling or {})}
        return ModelRequest(
            messages=fit_roles(messages, self.profile),
            tools=self._wire_tools,
            tool_choice=self._choice(choice) if has_tools and "tool_choice" not in self.omitted else None,
            parallel_tool_calls=False if has_tools and not self.profile.parallel_calls else None,
            sampling={name: value for name, value in sampling.items() if name not in self.omitted},
        )

    def messages(self, transcript: Sequence[Message]) -> list[dict[str, Any]]:
        """A transcript as native messages. What stood in the last one is not rendered again."""
        shown: _Shown = {}
        for number, message in enumerate(transcript):
            following = transcript[number + 1] if number + 1 < len(transcript) else None
            key = (id(message), id(following), number)  # the entry holds both, so nothing else gets their ids
            shown[key] = self._shown.get(key) or (message, following, self._message(message, following, number))
        self._shown = shown
        return [rendered for *_, entry in shown.values() for rendered in entry]

    def _message(self, message: Message, following: Message | None, number: int) -> list[dict[str, Any]]:
        if message.role == "assistant":
            results = following.results if following is not None and following.role == "tool" else ()
            return self._turn(message, results, number)
        if message.role == "tool":
            return []  # told with the turn before it
        return [{"role": message.role, "content": user_content(message.text, message.parts)}]

    def _turn(self, message: Message, results: Sequence[ToolResult], number: int) -> list[dict[str, Any]]:
        """An assistant's turn and, right behind it, one result for each of its calls."""
        if not message.calls:
            return [{"role": "assistant", "content": message.text}]
        ids = unique_ids(message.calls, number)
        unclaimed = list(results)
        answers = []
        for call, call_id in zip(message.calls, ids, strict=True):
            result = _claim(unclaimed, call)
            text = result_text(result) if result is not None else "This call was not run."
            answers.append({"role": "tool", "tool_call_id": call_id, "content": text})
        calls = [self._wire_call(call, call_id) for call, call_id in zip(message.calls, ids, strict=True)]
        return [{"role": "assistant", "content": message.text or message.thought or "", "tool_calls": calls}, *answers]

    def _wire_call(self, call: ToolCall, call_id: str) -> dict[str, Any]:
        arguments = _READABLE.encode(call.arguments)
        name = self._to_wire.get(call.name, call.name)
        return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}

    def _wire_tool(self, tool: Tool) -> Mapping[str, Any]:
        described = openai_tool(tool, strict=self._strict[tool.name])
        described["function"]["name"] = self._to_wire[tool.name]
        return described

    def _choice(self, choice: ToolChoice) -> str | Mapping[str, Any]:
        if choice in ("auto", "required", "none"):
            return choice
        return {"type": "function", "function": {"name": self._to_wire.get(choice, choice)}}

    def _repair_text(self, raw: str, problems: Sequence[Problem]) -> str:
        if self._repair is not None:
            return self._repair(raw, problems)
        return " ".join(f"{problem.message} {problem.hint}".strip() for problem in problems)

    def read(self, reply: Reply) -> PathReading:
        """The calls of the reply, those leaked into its text included, or its answer."""
        cut = was_cut(reply.finish_reason)
        if reply.calls:
            return self._native_calls(reply, cut)
        text, reasoning = plain_text(reply.text, self.profile.reasoning)
        reading = read(
            reply.text,
            self.index,
            finish_reason=reply.finish_reason,
            reasoning=self.profile.reasoning,
            calls_in_reasoning=self.profile.calls_in_reasoning,
        )
        dropped = self._tools_were_dropped(reply)
        if reading.calls:
            return PathReading(_with_reasoning(reading, reply.reasoning), reply.text, leaked=True, dropped=dropped)
        broken = tuple(problem for problem in reading.problems if problem.code in _BROKEN_CALL)
        if broken and reading.answer is None:
            return PathReading(
                Reading(problems=broken, reasoning=reasoning, truncated=cut), reply.text, dropped=dropped
            )
        thought = "\n".join(part for part in (reply.reasoning, reasoning) if part) or None
        if not text:
            code, message = ("truncated", "The reply was cut off.") if cut else ("empty", "The reply is empty.")
            problem = Problem(code, message, "Call a tool or give an answer.")
            return PathReading(
                Reading(problems=(problem,), reasoning=thought, truncated=cut), reply.text, dropped=dropped
            )
        if reading.dialect == "react" and reading.answer is not None and begins_with_label(text):
            whole = _with_reasoning(structs.replace(reading, problems=()), reply.reasoning)
            return PathReading(whole, reply.text, dropped=dropped)
        return PathReading(
            Reading(answer=text, text=text, reasoning=thought, truncated=cut), reply.text, dropped=dropped
        )

    def _native_calls(self, reply: Reply, cut: bool) -> PathReading:
        calls = [self._call(raw, cut and raw is reply.calls[-1]) for raw in reply.calls]
        text, reasoning = plain_text(reply.text, self.profile.reasoning)
        thought = "\n".join(part for part in (reply.reasoning, reasoning) if part) or None
        garbled = sum(call.problem is not None for call in calls) if not cut else 0
        reading = Reading(tuple(calls), text=text, reasoning=thought, truncated=cut, dialect="native")
        return PathReading(reading, reply.text, garbled=garbled)

    def _call(self, raw: RawCall, cut: bool) -> ToolCall:
        call = read_native_call(raw, self.index, self._from_wire, cut=cut)
        if call.arguments and self._strict.get(call.name):
            return structs.replace(call, arguments=drop_nulls(call.arguments, self.tools[call.name].schema))
        return call

    def _tools_were_dropped(self, reply: Reply) -> bool:
        """Whether the prompt was too short to have held the tools, by the server's own count."""
        tokens = max(reply.usage.prompt_tokens, reply.usage.cached_tokens)
        if not tokens or self._tool_characters < _SMALLEST_TOOL_TEXT:
            return False
        return tokens < self._tool_characters / _CHARACTERS_PER_TOKEN

    def stream_reader(self) -> NativeStream:
        """A reader for one streamed reply."""
        return NativeStream(self)


# Problems that say: a call was meant. Others mean that plain text is plain text.
_BROKEN_CALL = frozenset(
    {
        "malformed-arguments",
        "malformed-call",
        "missing-argument",
        "wrong-arguments",
        "not-a-number",
        "expression",
        "too-deep",
        "schema-echo",
    }
)


class NativeStream:
    """Shows a native reply while it arrives: text at once, unless it may be a leaked call."""

    done = False

    def __init__(self, path: NativePath) -> None:
        self._text = TextStream(path.profile.reasoning)

    def feed(self, chunk: Chunk) -> list[Delta]:
        """What became safe to show with this chunk."""
        deltas = [Delta("thought", chunk.reasoning)] if chunk.reasoning else []
        if chunk.text:
            deltas.extend(Delta(shown.kind, shown.text) for shown in self._text.feed(chunk.text))
        return deltas


def _claim(results: list[ToolResult], call: ToolCall) -> ToolResult | None:
    """The result of a call: by its id, else the first of its name."""
    for match in (lambda r: call.id and r.call_id == call.id, lambda r: not r.call_id and r.name == call.name):
        for number, result in enumerate(results):
            if match(result):
                return results.pop(number)
    return None


def _with_reasoning(reading: Reading, reasoning: str | None) -> Reading:
    if not reasoning:
        return reading
    return structs.replace(reading, reasoning="\n".join(part for part in (reasoning, reading.reasoning) if part))


def _is_strict(tool: Tool) -> bool:
    return bool(openai_tool(tool, strict=True)["function"].get("strict"))
