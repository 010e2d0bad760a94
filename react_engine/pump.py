"""Drives the loop: brings the model, the tools and the clock, and tells listeners what happens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Sequence
from typing import Protocol

from react_engine.errors import ModelError
from react_engine.events import AnswerDelta, CallBegan, CallEnded, Event, RunEnded, TextDelta, ThoughtDelta
from react_engine.models.base import Model, Reply, ReplyBuilder
from react_engine.paths.base import Delta
from react_engine.protocol import Answer, Answered, AskGate, AskModel, Called, CallTools, Demand, Failed, Stopped
from react_engine.runs import Run
from react_engine.tools.executor import CallEnded as ToolEnded
from react_engine.tools.executor import CallStarted
from react_engine.tools.limits import CallBudget
from react_engine.types import ToolCall, ToolResult

Listener = Callable[[Event], None]


class Calls(Protocol):
    """Whoever answers calls: the executor runs them."""

    async def execute(
        self,
        calls: Sequence[ToolCall],
        budget: CallBudget | None = None,
        observer: Callable[[CallStarted | ToolEnded], None] | None = None,
    ) -> Sequence[ToolResult]:
        """A result for each call, in their order."""
        ...


_DELTAS: dict[str, type[ThoughtDelta | TextDelta | AnswerDelta]] = {
    "thought": ThoughtDelta,
    "text": TextDelta,
    "answer": AnswerDelta,
}


class Pump:
    """One run of the loop against a model and an executor.

    With a ``listener`` replies are streamed and everything is told as it happens. Cancelling ``drive`` cancels
    the request or the tools under way; the listener still gets the run, which then ends as cancelled.
    """

    def __init__(
        self,
        model: Model,
        executor: Calls,
        listener: Listener | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model, self._executor, self._listener, self._clock = model, executor, listener, clock
        self._began = 0.0
        self._answer: list[str] = []
        self._came: list[ToolResult] = []  # of the calls under way

    async def drive(self, loop: Generator[Demand, Answer, Run], seconds: float | None = None) -> Run:
        """The run, from its first demand to its end. After ``seconds`` the request or tools under way are cancelled."""
        self._began = self._clock()
        budget = CallBudget()
        answer: Answer = None
        try:
            while True:
                demand = loop.send(answer)
                answer = None
                if isinstance(demand, AskModel | AskGate | CallTools):
                    answer = await self._in_time(demand, budget, seconds)
                else:
                    self._tell(demand)
        except StopIteration as stop:
            return self._ended(stop.value)
        except asyncio.CancelledError:
            self._ended(_stopped(loop, Stopped(self._at(), tuple(self._came))))
            raise

    async def _in_time(
        self, demand: AskModel | AskGate | CallTools, budget: CallBudget, seconds: float | None
    ) -> Answer:
        time_up = asyncio.timeout(None if seconds is None else max(0.0, seconds - self._at()))
        try:
            async with time_up:
                if isinstance(demand, AskModel):
                    return await self._ask(demand)
                if isinstance(demand, AskGate):
                    return await self._ask_gate(demand)
                return await self._call(demand, budget)
        except TimeoutError:
            if seconds is None or not time_up.expired():
                raise
            return Stopped(max(seconds, self._at()), tuple(self._came))

    def _at(self) -> float:
        return self._clock() - self._began

    def _tell(self, event: Event) -> None:
        if self._listener is not None:
            self._listener(event)

    def _ended(self, run: Run | None) -> Run:
        if run is None:
            raise AssertionError("the loop ended without a run")
        shown = "".join(self._answer)
        if self._listener is not None and run.answer is not None and run.answer.startswith(shown):
            if rest := run.answer[len(shown) :]:
                self._tell(AnswerDelta(rest))
        self._tell(RunEnded(run))
        return run

    async def _ask(self, demand: AskModel) -> Answer:
        began = self._clock()
        try:
            if self._listener is None:
                reply = await self._model.complete(demand.request)
            else:
                reply = await self._streamed(demand, began)
        except ModelError as error:
            return Failed(error, self._at())
        return Answered(reply, self._at())

    async def _ask_gate(self, demand: AskGate) -> Answer:
        try:
            return Answered(await self._model.complete(demand.request), self._at())
        except ModelError as error:
            return Failed(error, self._at())

    async def _streamed(self, demand: AskModel, began: float) -> Reply:
        """The reply, shown while it arrives; the request ends early when only inventions can follow."""
        reader, builder = demand.path.stream_reader(), ReplyBuilder()
        self._answer.clear()
        chunks = self._model.stream(demand.request)
        try:
            async for chunk in chunks:
                builder.add(chunk)
                for delta in reader.feed(chunk):
                    self._show(delta)
                if reader.done:
                    break
        finally:
            close = getattr(chunks, "aclose", None)
            if close is not None:
                await close()
        return builder.reply(self._clock() - began)

    def _show(self, delta: Delta) -> None:
        if delta.kind == "answer":
            self._answer.append(delta.text)
        self._tell(_DELTAS[delta.kind](delta.text))

    async def _call(self, demand: CallTools, budget: CallBudget) -> Answer:
        results = await self._executor.execute(demand.calls, budget, self._observe)
        self._came.clear()
        return Called(results, self._at())

    def _observe(self, event: CallStarted | ToolEnded) -> None:
        if isinstance(event, CallStarted):
            self._tell(CallBegan(event.call))
        else:
            self._came.append(event.result)
            self._tell(CallEnded(event.call, event.result))


def _stopped(loop: Generator[Demand, Answer, Run], stopped: Stopped) -> Run | None:
    """The run of a loop that is told to stop."""
    try:
        loop.send(stopped)
    except StopIteration as stop:
        run: Run = stop.value
        return run
    return None
