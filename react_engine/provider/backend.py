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
from react_engine.events import AnswerDelta, Event, TextDelta, ThoughtDelta
from react_engine.learning import for_others, learn
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
        self._takes_format = True

    @property
    def is_native(self) -> bool:
        """Whether tools are offered natively."""
        return self.profile.function_calling is True if self.choice == "auto" else self.choice == "native"

    async def turn(self, request: ChatRequest, listener: Listener | None = None) -> Turn:
        """The model's next turn. Raises ``ModelError``."""
        asked = self._takes_format
        try:
            return await self._turn(request, listener)
        except ModelError as error:
            if error.refused != "response_format" or not asked or request.response_format is None:
                raise
            self._takes_format = False
        return await self._turn(request, listener)

    async def _turn(self, request: ChatRequest, listener: Listener | None) -> Turn:
        plain, native = request.is_plain, self.is_native
        passed: dict[str, Any] = {}
        if request.response_format is not None and (native or self._takes_format):
            passed["response_format"] = dict(request.response_format)

        def make(name: PathName, profile: ModelProfile, omitted: frozenset[str]) -> Path:
            told = request.form is not None and (name == "prompt" or not passed)
            return TurnPath(
                self._path(request, "plain" if plain else name, profile, omitted, told=told),
                one_call=request.one_call,
                form=request.form if name == "prompt" or not native else None,
                stop=request.stop,
                passed=passed,
            )

        paths = Paths(self.profile, make, "native" if plain else self.choice)
        task = Task(
            request.conversation.transcript, paths, tool_choice=request.choice, sampling=self._sampling(request)
        )
        turn = await take_turn(self.model, task, request.tools, repairs=self.repairs, listener=listener)
        await self._learn(paths, turn)
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

    async def _learn(self, paths: Paths, turn: Turn) -> None:
        """Begin the next request where this one ended."""
        changed = for_others(paths.profile, self.profile)
        if any(fallback.target != fallback.origin for fallback in turn.fallbacks):
            changed = replace(changed, function_calling=False)
        if self._table is not None and turn.run is not None and turn.fallbacks:
            changed = await to_thread(learn, turn.run, changed, self._table)
        if changed != self.profile:
            self.profile = changed
            self._paths.clear()

    async def stream(self, request: ChatRequest) -> AsyncIterator[Piece]:
        """The turn in pieces as it comes; the last one is the turn. Leaving the iteration cancels the request."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        running = asyncio.ensure_future(self.turn(request, queue.put_nowait))
        running.add_done_callback(lambda _: queue.put_nowait(None))
        # An answer that may have to be asked for again is not shown before it is known to stand.
        held = request.choice not in ("auto", "none") or (request.form is not None and not self.is_native)
        shown = _Shown(request.stop, held=held)
        try:
            while (event := await queue.get()) is not None:
                for piece in shown.told(event):
                    yield piece
                if shown.stopped:
                    yield Turn(text=shown.content, reasoning=shown.thought or None)
                    return
            turn = running.result()
            for piece in shown.rest(turn):
                yield piece
            yield turn
        finally:
            if not running.done():
                running.cancel()
                await asyncio.wait([running])


Piece = tuple[str, str] | Turn
"""``("content" | "reasoning", text)``, or at last the turn."""


class _Shown:
    """What a client was shown of a streamed turn, and what it has yet to be shown."""

    def __init__(self, stop: tuple[str, ...], *, held: bool) -> None:
        self._stop, self._held = StopWords(stop), held
        self.content = self.thought = ""
        self._raw = ""

    @property
    def stopped(self) -> bool:
        """Whether a stop word of the client came: it is shown nothing more."""
        return self._stop.met

    def told(self, event: Event) -> list[Piece]:
        """The pieces in an event."""
        if isinstance(event, ThoughtDelta):
            self.thought += event.text
            return [("reasoning", event.text)]
        if isinstance(event, TextDelta | AnswerDelta) and not self._held:
            self._raw += event.text
            return self._said(self._stop.feed(event.text))
        return []

    def _said(self, text: str) -> list[Piece]:
        self.content += text
        return [("content", text)] if text else []

    def rest(self, turn: Turn) -> list[Piece]:
        """What of the turn was not shown while it came."""
        pieces: list[Piece] = []
        if turn.reasoning and turn.reasoning.startswith(self.thought) and len(turn.reasoning) > len(self.thought):
            pieces.append(("reasoning", turn.reasoning[len(self.thought) :]))
        if turn.text.startswith(self._raw):
            pieces += self._said(self._stop.feed(turn.text[len(self._raw) :]))
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
