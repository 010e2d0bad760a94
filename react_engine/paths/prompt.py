"""The prompt path: tools written into the prompt, calls read out of the text.

The transcript is always rendered in the canonical form of the dialect, whatever the model's own text looked
like, and tool output is neutralised before it enters the prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from react_engine.models.base import Chunk, ModelRequest, Reply
from react_engine.models.profile import ModelProfile
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.reader import CUT_REASONS, read
from react_engine.parsers.stream import Reader
from react_engine.paths.base import Ask, Delta, PathReading
from react_engine.paths.native_calls import read_native_call
from react_engine.paths.roles import fit_roles, user_content
from react_engine.templates import Templates
from react_engine.tools.schema import signature
from react_engine.tools.tool import Tool
from react_engine.types import Message, PathName, Reading


class PromptPath:
    """Speaks with a model through text."""

    name: PathName = "prompt"

    def __init__(
        self,
        profile: ModelProfile,
        tools: Sequence[Tool],
        templates: Templates,
        instructions: str = "",
        *,
        rendering: str = "signature",
        omitted: frozenset[str] = frozenset(),
    ) -> None:
        self.profile = profile
        self.index = ToolIndex(tools)
        self.templates = templates
        self.instructions = instructions
        self.rendering = rendering
        self.omitted = omitted
        self._dialect = "react" if profile.dialect == "react" else "auto"  # what it was trained on may come, too
        self._signatures = tuple(signature(tool) for tool in tools)
        begins = profile.continues or not profile.chat
        self.begun = f"{templates.labels.thought}:" if begins else ""
        """What the request ends in, and the reply therefore begins with."""
        self._systems: dict[str, str] = {}
        self._shown: dict[int, tuple[Message, dict[str, Any]]] = {}

    def request(self, ask: Ask) -> ModelRequest:
        """The request for the next step."""
        choice = "none" if ask.forced else ask.tool_choice
        messages = [{"role": "system", "content": self._system(choice)}, *self.messages(ask.transcript)]
        for slip in ask.slips:
            messages.append({"role": "user", "content": self.templates.repair(slip.raw, slip.problems)})
        if ask.forced:
            messages.append({"role": "user", "content": self.templates.forced_answer(ask.forced)})
        sampling = {**self.profile.sampling, **(ask.sampling or {})}
        sampling = {name: value for name, value in sampling.items() if name not in self.omitted}
        stop = self.templates.stop if self.profile.stop_words else ()
        if not self.profile.chat:
            return ModelRequest(prompt=self.templates.conversation(messages), stop=stop, sampling=sampling)
        if self.profile.continues:
            messages = list(map(dict, self.templates.continued(messages)))
        return ModelRequest(messages=fit_roles(messages, self.profile, merge=True), stop=stop, sampling=sampling)

    def _system(self, choice: str) -> str:
        """The system text. Made once for each choice, so that a server's prompt cache holds."""
        if choice not in self._systems:
            self._systems[choice] = self.templates.system(
                self._signatures, instructions=self.instructions, rendering=self.rendering, tool_choice=choice
            )
        return self._systems[choice]

    def messages(self, transcript: Sequence[Message]) -> list[dict[str, Any]]:
        """A transcript as prompt messages. What stood in the last one is not rendered again."""
        shown: dict[int, tuple[Message, dict[str, Any]]] = {}
        for message in transcript:
            key = id(message)  # the entry holds the message, so nothing else gets its id
            shown[key] = self._shown.get(key) or (message, self._message(message))
        self._shown = shown
        return [shown[id(message)][1] for message in transcript]

    def _message(self, message: Message) -> dict[str, Any]:
        if message.role == "assistant":
            return {"role": "assistant", "content": self._turn(message)}
        if message.role == "tool":
            return {"role": "user", "content": self.templates.observation(message.results)}
        return {"role": message.role, "content": user_content(message.text, message.parts)}

    def _turn(self, message: Message) -> str:
        if message.calls:
            return self.templates.step(message.thought or message.text or None, message.calls, None)
        return self.templates.step(message.thought, (), message.text)

    def read(self, reply: Reply) -> PathReading:
        """The step that the text holds; native calls that a server read out by itself count as well."""
        if reply.calls and not reply.text.strip():
            return PathReading(self._served_calls(reply), reply.text)
        text = f"{self.begun}{reply.text}" if reply.text.strip() else ""
        reading = read(
            text,
            self.index,
            self._dialect,
            finish_reason=reply.finish_reason,
            reasoning=self.profile.reasoning,
            calls_in_reasoning=self.profile.calls_in_reasoning,
        )
        if reply.reasoning:
            thoughts = [part for part in (reply.reasoning.strip(), reading.reasoning) if part]
            reading = replace(reading, reasoning="\n".join(thoughts))
        return PathReading(reading, text)

    def _served_calls(self, reply: Reply) -> Reading:
        """Calls that the server's own parser took out of the text although no tools were sent."""
        cut = (reply.finish_reason or "").lower() in CUT_REASONS
        calls = [read_native_call(raw, self.index, {}, cut=cut and raw is reply.calls[-1]) for raw in reply.calls]
        return Reading(tuple(calls), reasoning=reply.reasoning, truncated=cut, dialect="native")

    def stream_reader(self) -> PromptStream:
        """A reader for one streamed reply."""
        return PromptStream(self)


class PromptStream:
    """Shows a reply while it arrives: thought and answer, never markup, never a call."""

    def __init__(self, path: PromptPath) -> None:
        self._reader = Reader(path.index, reasoning=path.profile.reasoning)
        self._reader.feed(path.begun)

    @property
    def done(self) -> bool:
        """Whether the model began to invent an observation."""
        return self._reader.inventing

    def feed(self, chunk: Chunk) -> list[Delta]:
        """What became safe to show with this chunk."""
        deltas = [Delta("thought", chunk.reasoning)] if chunk.reasoning else []
        if chunk.text:
            deltas.extend(Delta(event.kind, event.text) for event in self._reader.feed(chunk.text))
        return deltas
