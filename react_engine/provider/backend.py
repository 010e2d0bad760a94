"""One model behind the provider: its client, its record, and what was learned of it while it was used."""

from __future__ import annotations

import asyncio
from asyncio import to_thread
from collections.abc import AsyncIterator, Mapping
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache

from react_engine.errors import ModelError
from react_engine.events import AnswerDelta, Event, StepBegan, TextDelta, ThoughtDelta
from react_engine.learning import for_others, learn, merged
from react_engine.loop import Task
from react_engine.models.base import Model
from react_engine.models.profile import ModelProfile
from react_engine.paths.base import Path
from react_engine.paths.native import NativePath
from react_engine.paths.prompt import PromptPath
from react_engine.paths.select import PathChoice, Paths
from react_engine.paths.turn import PlainPath, TurnPath
from react_engine.provider.request import ChatRequest
from react_engine.provider.stop import StopWords
from react_engine.pump import Listener
from react_engine.turn import Turn, take_turn
from react_engine.types import PathName

if TYPE_CHECKING:
    from react_engine.models.table import CapabilityTable
    from react_engine.templates import Templates

_KEPT = 2_000_000  # characters of tools and instructions for which a model's paths are kept


class Backend:
    """Answers chat requests with one model.

    ``choice`` forces a path; with ``"auto"`` the model's record decides, and what did not hold once is not tried
    again, here and, with a ``table`` that remembers, by whoever uses the model next. ``repairs``: how often a reply that
    cannot be read is told to the model.
    """

    def __init__(
        self,
        model: Model,
        profile: ModelProfile,
        templates: Templates,
        *,
        choice: PathChoice = "auto",
        repairs: int = 1,
        rendering: str = "signature",
        table: CapabilityTable | None = None,
    ) -> None:
        self.model, self.profile = model, profile
        self.choice: PathChoice = choice
        self.repairs = repairs
        self._table = table
        self._templates, self._rendering = templates, rendering
        self._paths: LRUCache[tuple[str, str], tuple[int, PromptPath]] = LRUCache(_KEPT, lambda entry: entry[0])
        self._refused_formats: set[str] = set()

    @property
    def is_native(self) -> bool:
        """Whether tools are offered natively."""
        return self.profile.function_calling is True if self.choice == "auto" else self.choice == "native"

    async def turn(self, request: ChatRequest, listener: Listener | None = None) -> Turn:
        """The model's next turn. Raises ``ModelError``."""
        form = self._native_format(request)
        try:
            return await self._turn(request, form, listener)
        except ModelError as error:
            if form is None or error.refused != "constraint":
                raise
            self._refused_formats.add(form["type"])
        return await self._turn(request, None, listener)

    def _native_format(self, request: ChatRequest) -> Mapping[str, Any] | None:
        """The ``response_format`` for the server; None where none is wanted, or it is to be asked for in words."""
        form = request.response_format
        if form is None or form["type"] in self._refused_formats or not (self.is_native or request.is_plain):
            return None
        return form

    async def _turn(
        self, request: ChatRequest, native_format: Mapping[str, Any] | None, listener: Listener | None
    ) -> Turn:
        plain = request.is_plain
        passed: dict[str, Any] = {} if native_format is None else {"response_format": dict(native_format)}

        def make(name: PathName, profile: ModelProfile, omitted: frozenset[str]) -> Path:
            told = request.form is not None and (name == "prompt" or not passed)
            return TurnPath(
                self._path(request, "plain" if plain else name, profile, omitted, told=told),
                one_call=request.one_call,
                form=request.form if name == "prompt" or not (passed and self.is_native) else None,
                stop=request.stop,
                passed=passed,
            )

        begun = self.profile
        paths = Paths(begun, make, "native" if plain else self.choice)
        task = Task(
            request.conversation.transcript, paths, tool_choice=request.choice, sampling=self._sampling(request)
        )
        turn = await take_turn(self.model, task, request.tools, repairs=self.repairs, listener=listener)
        await self._learn(begun, paths.profile, turn)
        return turn

    def _path(
        self, request: ChatRequest, kind: str, profile: ModelProfile, omitted: frozenset[str], *, told: bool
    ) -> Path:
        """A path for one request. What depends on the tools alone is made once: clients send them every time."""
        instructions = request.conversation.instructions
        if told and request.form is not None:
            instructions = "\n\n".join(filter(None, (instructions, request.form.instructions)))
        if kind == "plain":
            return PlainPath(profile, instructions, omitted)
        tools = () if request.choice == "none" and kind == "prompt" else request.tools
        if kind == "native":
            if request.one_call:
                profile = replace(profile, parallel_calls=False)
            return NativePath(
                profile,
                tools,
                instructions,
                repair=self._templates.native_repair,
                guide=self._templates.native_guide(),
                omitted=omitted,
            )
        key = (request.offer if tools else "", instructions)
        usual = profile is self.profile and not omitted
        kept = self._paths.get(key) if usual else None
        if kept is not None:
            path = kept[1]
        else:
            path = PromptPath(profile, tools, self._templates, instructions, rendering=self._rendering, omitted=omitted)
            size = 1000 + len(request.offer) + len(instructions)
            if usual and size < _KEPT:
                self._paths[key] = size, path
        return copy(path)

    def _sampling(self, request: ChatRequest) -> dict[str, Any]:
        sampling: dict[str, Any] = dict(request.sampling)
        most = sampling.pop("max_completion_tokens", None)
        if most is not None and self.profile.client == "litellm":
            sampling |= {"max_completion_tokens": most, "max_tokens": None}
        elif most is not None:  # servers of one's own know only the older name
            sampling["max_tokens"] = most
        return sampling

    async def _learn(self, begun: ModelProfile, ended: ModelProfile, turn: Turn) -> None:
        """Begin the next request where this one ended. Others may have learned something meanwhile."""
        changed = for_others(ended, begun)
        if any(fallback.target != fallback.origin for fallback in turn.fallbacks):
            changed = replace(changed, function_calling=False)
        if self._table is not None and turn.run is not None and turn.fallbacks:
            changed = await to_thread(learn, turn.run, changed, self._table)
        profile = merged(self.profile, begun, changed)
        if profile != self.profile:
            self.profile = profile
            self._paths.clear()

    async def stream(self, request: ChatRequest) -> AsyncIterator[Piece]:
        """The turn in pieces as it comes; the last one is the turn. Leaving the iteration cancels the request."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        running = asyncio.ensure_future(self.turn(request, queue.put_nowait))
        running.add_done_callback(lambda _: queue.put_nowait(None))
        shown = _Shown(request.stop)
        try:
            while (event := await queue.get()) is not None:
                shown.held = self._may_ask_again(request, shown.path)
                for piece in shown.told(event):
                    yield piece
                if shown.stopped:
                    yield Turn(text=shown.content, reasoning=shown.thought or None, path=shown.path)
                    return
            turn = running.result()
            for piece in shown.rest(turn):
                yield piece
            yield stopped_at(turn, request.stop)
        finally:
            if not running.done():
                running.cancel()
                await asyncio.wait([running])

    def _may_ask_again(self, request: ChatRequest, path: PathName) -> bool:
        """Whether an answer is not shown before it is known to stand."""
        if request.choice not in ("auto", "none"):
            return True
        natively = path == "native" and self.is_native and self._native_format(request) is not None
        return request.form is not None and not natively


Piece = tuple[str, str] | Turn
"""``("content" | "reasoning", text)``, or at last the turn."""


class _Shown:
    """What a client was shown of a streamed turn, and what it has yet to be shown."""

    def __init__(self, stop: tuple[str, ...]) -> None:
        self._stop, self.held = StopWords(stop), False
        self.content = self.thought = ""
        self.path: PathName = "prompt"
        self._raw = self._mused = ""  # of the reply under way

    @property
    def stopped(self) -> bool:
        """Whether a stop word of the client came: it is shown nothing more."""
        return self._stop.met

    def told(self, event: Event) -> list[Piece]:
        """The pieces in an event."""
        if isinstance(event, StepBegan):
            return self._begun(event.path)
        if isinstance(event, ThoughtDelta):
            return self._thinks(event.text)
        if isinstance(event, TextDelta | AnswerDelta) and not self.held:
            return self._says(event.text)
        return []

    def _begun(self, path: PathName) -> list[Piece]:
        """Another reply: what was shown of the one before cannot be taken back, and stands apart."""
        self.path, self._raw, self._mused = path, "", ""
        return self._said(self._stop.close())

    def _thinks(self, text: str) -> list[Piece]:
        apart = "\n" if self.thought and not self._mused else ""
        self._mused += text
        self.thought += apart + text
        return [("reasoning", apart + text)]

    def _says(self, text: str) -> list[Piece]:
        apart = "\n\n" if self.content and not self._raw else ""
        self._raw += text
        return self._said(self._stop.feed(apart + text))

    def _said(self, text: str) -> list[Piece]:
        self.content += text
        return [("content", text)] if text else []

    def rest(self, turn: Turn) -> list[Piece]:
        """What of the turn was not shown while it came."""
        pieces: list[Piece] = []
        thought = turn.reasoning or ""
        if thought.startswith(self._mused) and len(thought) > len(self._mused):
            pieces += self._thinks(thought[len(self._mused) :])
        if turn.text.startswith(self._raw):
            if rest := turn.text[len(self._raw) :]:
                pieces += self._says(rest)
        elif turn.text.strip() != self._raw.strip() and not turn.calls:
            pieces += self._said(self._stop.feed(f"\n\n{turn.text}"))
        return pieces + self._said(self._stop.close())


def stopped_at(turn: Turn, words: tuple[str, ...]) -> Turn:
    """A whole turn as a client with stop words gets it."""
    if not words or not turn.text:
        return turn
    stop = StopWords(words)
    text = stop.cut(turn.text)
    return replace(turn, text=text, calls=(), finish_reason="stop") if stop.met else turn


def note_of(turn: Turn) -> Mapping[str, Any]:
    """What a client may want to know of how a turn came about."""
    note: dict[str, Any] = {"path": turn.path}
    if turn.repairs:
        note["repairs"] = turn.repairs
    if turn.fallbacks:
        note["fallbacks"] = [{"reason": f.reason.value, "detail": f.detail} for f in turn.fallbacks]
    if turn.problems:
        note["problem"] = " ".join(f"{p.message} {p.hint}".strip() for p in turn.problems)
    if tolerances := sorted({tolerance.name for call in turn.calls for tolerance in call.tolerances}):
        note["tolerances"] = tolerances
    return note
