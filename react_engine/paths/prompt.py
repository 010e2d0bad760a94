"""The prompt path: tools written into the prompt, calls read out of the text.

A model is asked for the dialect that its record names, as its family was trained to see it; for ReAct where that
is none that a prompt can ask for, and where a model continues plain text. The transcript is always rendered in the
canonical form of the dialect, whatever the model's own text looked like, and tool output is neutralised before it
enters the prompt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import structs

from react_engine.models.base import Chunk, ModelRequest, Reply
from react_engine.models.profile import ModelProfile
from react_engine.parsers.index import ToolIndex
from react_engine.parsers.reader import read, was_cut
from react_engine.parsers.stream import Reader, Shown
from react_engine.paths.base import Ask, Delta, PathReading
from react_engine.paths.constraint import Constraint, constraint_form
from react_engine.paths.gate import alternatives_wanted, answer_chance
from react_engine.paths.native_calls import read_native_call
from react_engine.paths.roles import fit_roles, user_content
from react_engine.templates import Templates
from react_engine.tools.origins import Origins
from react_engine.tools.schema import signature
from react_engine.tools.tool import Tool
from react_engine.types import Message, PathName, Reading, Transcript

_LENGTHS = ("max_tokens", "max_completion_tokens")
"""Sampling parameters that bound a reply."""


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
        asked = profile.dialect if profile.chat else "react"
        self.templates = templates.in_dialect(asked, self.index)
        self.instructions = instructions
        self.rendering = rendering
        self.omitted = omitted
        in_react = isinstance(self.templates, Templates)
        # Where ReAct is asked for in place of what a model was trained on, that may come, too.
        self.dialect = "auto" if in_react and profile.dialect != "react" else asked
        as_signatures = in_react and rendering != "schema"
        self._shown_tools: tuple[Any, ...] = tuple(map(signature, tools)) if as_signatures else tuple(tools)
        written = "react" if in_react else asked
        form = constraint_form(profile, written)
        labelled = in_react and form != "json_schema"  # which begins with a brace
        if labelled and profile.chat and not profile.thoughts:
            self.templates = templates.without_thoughts()
        self._merges = labelled and (profile.continues or not profile.chat)
        self.begun = self.templates.label_of_a_step if self._merges else ""
        """What the request ends in, and the reply therefore begins with."""
        self.constraint = Constraint(
            form,
            profile,
            tools,
            templates.labels,
            dialect=written,
            begun=bool(self.begun),
            thoughts=self.templates.thoughts,
        )
        self.origins = Origins(tools) if profile.grounded else None
        """Where values of arguments come from, for models whose calls are looked at for that."""
        self._systems: dict[str, str] = {}
        self._shown: dict[int, tuple[Message, dict[str, Any]]] = {}

    def request(self, ask: Ask) -> ModelRequest:
        """The request for the next step."""
        choice = "none" if ask.forced else ask.urged or ask.tool_choice
        # Where a grammar holds the reply, the system text need not: it stays as it was, and in the server's cache.
        said = ask.tool_choice if ask.urged and self.constraint.form not in (None, "json_schema") else choice
        messages = self._conversation(said, ask.transcript)
        for slip in ask.slips:
            messages.append({"role": "user", "content": self.templates.repair(slip.raw, slip.problems)})
        if ask.forced:
            messages.append({"role": "user", "content": self.templates.forced_answer(ask.forced)})
        sampling = {**self.profile.sampling, **(ask.sampling or {})}
        sampling = {name: value for name, value in sampling.items() if name not in self.omitted}
        sampling |= {name: sampling[name] * ask.room for name in _LENGTHS if isinstance(sampling.get(name), int)}
        stop = self.templates.stop if self.profile.stop_words else ()
        if not self.profile.chat and isinstance(self.templates, Templates):
            prompt = self.templates.conversation(messages)
            return ModelRequest(
                prompt=prompt, stop=stop, sampling=sampling, extra=self.constraint.fields(choice, ask.without)
            )
        if self._merges:
            messages = self._begun(messages, ask.lead)
        fitted = fit_roles(messages, self.profile, merge=True)
        return ModelRequest(
            messages=fitted, stop=stop, sampling=sampling, extra=self.constraint.fields(choice, ask.without)
        )

    def ends_with_room(self, sampling: Mapping[str, Any]) -> bool:
        """Whether a call that was cut off would end if it could be longer: a grammar bounds it, and it had a limit."""
        given = {**self.profile.sampling, **sampling}
        return self.constraint.form is not None and any(isinstance(given.get(name), int) for name in _LENGTHS)

    @property
    def gate_lead(self) -> str:
        """How a thought begins whose next word tells whether a tool is wanted; empty where models know no such form."""
        return (self.templates.gate_lead or "") if isinstance(self.templates, Templates) else ""

    def unknown_lead(self, name: str) -> str:
        """How a thought begins behind an objection to an argument's value; empty where none is begun for the model."""
        if not self._merges or not self.profile.chat or not isinstance(self.templates, Templates):
            return ""
        return self.templates.unknown_lead(name)

    def gate_request(self, transcript: Transcript) -> ModelRequest | None:
        """What to ask before the first step to learn whether a tool is needed; None where that cannot be asked.

        It is the request for the step with its thought begun, and a reply of one token: a server that caches prompts
        has read all of it when the step itself is asked for.
        """
        if self.profile.gate == "off" or not self._merges or not self.profile.chat or not len(self.index):
            return None
        if not isinstance(self.templates, Templates) or (lead := self.templates.gate_lead) is None:
            return None
        messages = self._conversation("auto", transcript)
        fitted = fit_roles(self._begun(messages, lead), self.profile, merge=True)
        sampling = {**self.profile.sampling, "temperature": 0.0, "max_tokens": 1}
        return ModelRequest(
            messages=fitted,
            sampling=sampling,
            extra={"logprobs": True, "top_logprobs": alternatives_wanted(self.profile)},
        )

    def _conversation(self, choice: str, transcript: Transcript) -> list[dict[str, Any]]:
        """The system text, examples that are turns of their own, and the transcript."""
        system = {"role": "system", "content": self._system(choice)}
        return [system, *map(dict, self.templates.examples), *self.messages(transcript)]

    def _begun(self, messages: Sequence[Mapping[str, Any]], lead: str) -> list[dict[str, Any]]:
        """The messages with the reply begun, up to the label of its thought and ``lead`` behind it."""
        if not isinstance(self.templates, Templates):
            return list(map(dict, messages))
        *before, last = map(dict, self.templates.continued(messages))
        return [*before, {**last, "content": f"{last['content']} {lead}"} if lead else last]

    def gate_chance(self, reply: Reply) -> float | None:
        """How likely the model answers without a tool, from 0 to 1; None if the server gave no log-probabilities."""
        if not isinstance(self.templates, Templates):
            return None
        return answer_chance(reply.alternatives, self.templates.gate_word)

    def _system(self, choice: str) -> str:
        """The system text. Made once for each choice, so that a server's prompt cache holds."""
        if choice not in self._systems:
            form = ""
            if self.constraint.form == "json_schema" and isinstance(self.templates, Templates):
                form = self.templates.json_note()
            instructions = "\n\n".join(filter(None, (self.instructions, form)))
            self._systems[choice] = self.templates.system(
                self._shown_tools, instructions=instructions, rendering=self.rendering, tool_choice=choice
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
            self.dialect,
            finish_reason=reply.finish_reason,
            reasoning=self.profile.reasoning,
            calls_in_reasoning=self.profile.calls_in_reasoning,
        )
        if reply.reasoning:
            thoughts = [part for part in (reply.reasoning.strip(), reading.reasoning) if part]
            reading = structs.replace(reading, reasoning="\n".join(thoughts))
        return PathReading(reading, text)

    def _served_calls(self, reply: Reply) -> Reading:
        """Calls that the server's own parser took out of the text although no tools were sent."""
        cut = was_cut(reply.finish_reason)
        calls = [read_native_call(raw, self.index, {}, cut=cut and raw is reply.calls[-1]) for raw in reply.calls]
        return Reading(tuple(calls), reasoning=reply.reasoning, truncated=cut, dialect="native")

    def stream_reader(self) -> PromptStream:
        """A reader for one streamed reply."""
        return PromptStream(self)


class PromptStream:
    """Shows a reply while it arrives: thought and answer, never markup, never a call."""

    def __init__(self, path: PromptPath) -> None:
        self._reader = Reader(
            path.index,
            path.dialect,
            reasoning=path.profile.reasoning,
            calls_in_reasoning=path.profile.calls_in_reasoning,
            tell_calls=False,
        )
        self._reader.feed(path.begun)

    @property
    def done(self) -> bool:
        """Whether the model began to invent an observation."""
        return self._reader.inventing

    def feed(self, chunk: Chunk) -> list[Delta]:
        """What became safe to show with this chunk."""
        deltas = [Delta("thought", chunk.reasoning)] if chunk.reasoning else []
        if chunk.text:
            deltas.extend(
                Delta(event.kind, event.text) for event in self._reader.feed(chunk.text) if isinstance(event, Shown)
            )
        return deltas
