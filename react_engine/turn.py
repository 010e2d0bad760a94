"""One turn of a model with tools that somebody else will run: what the provider asks for.

The loop of a run does the work: path, fallback, repair. Here it is driven to its first usable reply, and the calls
are only checked against their tools, never run.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import structs

from react_engine.errors import InvalidArguments, ModelError, UnknownTool
from react_engine.events import FellBack, Slip
from react_engine.limits import Limits
from react_engine.loop import Task, react_loop, ruled_out
from react_engine.models.base import Model, Reply
from react_engine.parsers.plain import plain_text
from react_engine.parsers.reader import was_cut
from react_engine.paths.base import Path, ToolChoice
from react_engine.paths.turn import UNFIT
from react_engine.protocol import Answer, Answered, AskGate, AskModel, Called, CallTools, Demand
from react_engine.pump import Listener, Pump
from react_engine.runs import EndState, Fallback, Run
from react_engine.tools.tool import Tool
from react_engine.tools.validation import validate
from react_engine.types import PathName, Problem, Status, ToolCall, ToolResult, Usage

_NO_LIMITS = Limits(steps=None, calls=None, format_retries=1000, repeat_warn=None, repeat_refuse=None, repeat_stop=None)


@dataclass(frozen=True, slots=True)
class Turn:
    """What a model said, in the terms of a chat API.

    ``text`` is for the user: the answer, or what was said before the calls. ``problems`` say what is wrong with a
    reply that could not be read or mended: its ``text`` is then as the model wrote it, and ``calls`` holds only what
    was read without doubt. ``finish_reason`` is ``tool_calls``, ``stop`` or ``length``.
    """

    calls: tuple[ToolCall, ...] = ()
    text: str = ""
    reasoning: str | None = None
    finish_reason: str = "stop"
    usage: Usage = Usage()
    problems: tuple[Problem, ...] = ()
    fallbacks: tuple[Fallback, ...] = ()
    repairs: int = 0
    path: PathName = "prompt"
    error: ModelError | None = None
    run: Run | None = field(default=None, repr=False, compare=False)
    """The run that was left for it: what was tried, and on which path."""


class CallChecker:
    """Stands in for the executor: tells of each call whether its tool would take it, and runs nothing."""

    def __init__(self, tools: Sequence[Tool], choice: ToolChoice = "auto") -> None:
        self._tools: Mapping[str, Tool] = {tool.name: tool for tool in tools}
        self._choice = choice
        self.fitted: dict[str, dict[str, Any]] = {}
        """Arguments in the types of the tool's schema, by the id of the call."""

    async def execute(
        self, calls: Sequence[ToolCall], budget: object = None, observer: object = None
    ) -> list[ToolResult]:
        """A result for each call: a success with no text, or what is wrong with it."""
        return [self._checked(call) for call in calls]

    def _checked(self, call: ToolCall) -> ToolResult:
        if call.problem is not None:
            return _refused(call, Status.VALIDATION_ERROR, call.problem.message, call.problem.hint)
        if (refused := ruled_out(call, self._choice)) is not None:
            return refused
        tool = self._tools.get(call.name)
        if tool is None:
            unknown = UnknownTool(call.name, self._tools)
            return _refused(call, Status.UNKNOWN_TOOL, unknown.message, unknown.hint)
        try:
            self.fitted[call.id] = validate(tool, call.arguments).plain
        except InvalidArguments as error:
            return _refused(call, Status.VALIDATION_ERROR, error.message, error.hint)
        return ToolResult(call.id, call.name, Status.SUCCESS, "")


def _refused(call: ToolCall, status: Status, text: str, hint: str) -> ToolResult:
    return ToolResult(call.id, call.name, status, text, hint, attempts=0)


class TurnLoop:
    """The loop of a run, left as soon as there is something to hand on. ``repairs`` is how many bad replies are mended."""

    def __init__(self, task: Task, checker: CallChecker, repairs: int = 1) -> None:
        self._task = replace(task, limits=_NO_LIMITS, until_success=True)
        self._checker = checker
        self._repairs = repairs
        self._usage = Usage()
        self._fallbacks: list[Fallback] = []
        self._mended = 0
        self._reply = Reply()
        self._path: Path | None = None
        self.turn = Turn()

    def run(self) -> Generator[Demand, Answer, Run]:
        """Drive it like ``react_loop``; afterwards ``turn`` holds the outcome."""
        loop = react_loop(self._task)
        answer: Answer = None
        try:
            while True:
                demand = loop.send(answer)
                answer = yield demand
                ended = self._look_at(demand, answer)
                if ended is not None:
                    loop.close()
                    self.turn = ended
                    return Run(EndState.FORMAT, None, usage=self._usage, model=self._task.paths.profile.name)
        except StopIteration as stop:
            run: Run = stop.value
            self.turn = self._finished(run)
            return replace(run, answer=None, usage=self._usage)  # whoever streams takes the rest from the turn

    def _look_at(self, demand: Demand, answer: Answer) -> Turn | None:
        """Count what happened; the turn if there is nothing more to wait for."""
        if isinstance(demand, AskModel) and isinstance(answer, Answered):
            self._path, self._reply = demand.path, answer.reply
            self._usage += answer.reply.usage
        elif isinstance(demand, AskGate) and isinstance(answer, Answered):
            self._usage += answer.reply.usage
        elif isinstance(demand, FellBack):
            self._fallbacks.append(demand.fallback)
        elif isinstance(demand, Slip):
            return self._bad(demand.problems)
        elif isinstance(demand, CallTools) and isinstance(answer, Called) and not any(r.ok for r in answer.results):
            problems = tuple(Problem(result.status.value, result.text, result.hint) for result in answer.results)
            results = zip(demand.calls, answer.results, strict=True)
            return self._bad(problems, tuple(call for call, result in results if _is_call(call, result)))
        return None

    def _bad(self, problems: Sequence[Problem], calls: tuple[ToolCall, ...] = ()) -> Turn | None:
        """None if the model is asked again: a reply that was cut would only be cut again."""
        if self._mended < self._repairs and not self._cut:
            self._mended += 1
            return None
        path = self._path or self._task.paths.current
        reading = path.read(self._reply).reading
        text = reading.answer
        if text is None and (self._cut or reading.dialect == UNFIT):
            text = reading.text
        elif text is None:
            text = plain_text(self._reply.text, self._task.paths.profile.reasoning)[0]
        return self._made(
            calls=calls,
            text=reading.text if calls else text,
            reasoning=reading.reasoning,
            problems=tuple(problems),
        )

    def _finished(self, run: Run) -> Turn:
        """The turn of a run that ended by itself: with calls, with an answer, or with an error."""
        if run.error is not None or not run.steps:
            return self._made(error=run.error or ModelError(run.message, model=run.model))
        step = run.steps[-1]
        reading = step.reading
        results = list(zip(step.calls, step.results, strict=True))
        bad = [result for call, result in results if not result.ok]
        problems = (*reading.problems, *(Problem(result.status.value, result.text, result.hint) for result in bad))
        return self._made(
            calls=tuple(self._fitted(call) for call, result in results if _is_call(call, result)),
            text=reading.text if step.calls else reading.answer or "",
            reasoning=reading.reasoning,
            problems=problems if step.calls else (),
        )

    def _fitted(self, call: ToolCall) -> ToolCall:
        return structs.replace(call, arguments=self._checker.fitted.get(call.id, call.arguments))

    def _made(self, calls: tuple[ToolCall, ...] = (), **fields: Any) -> Turn:
        finish = "tool_calls" if calls else "length" if self._cut else "stop"
        return Turn(
            calls=calls,
            finish_reason=finish,
            usage=self._usage,
            fallbacks=tuple(self._fallbacks),
            repairs=self._mended,
            path=self._task.paths.current.name,
            **fields,
        )

    @property
    def _cut(self) -> bool:
        return was_cut(self._reply.finish_reason)


def _is_call(call: ToolCall, result: ToolResult) -> bool:
    """Whether a call is handed on: a tool of the caller's with arguments that were read, fitting or not."""
    return result.ok or (result.status is Status.VALIDATION_ERROR and call.problem is None)


async def take_turn(
    model: Model, task: Task, tools: Sequence[Tool], *, repairs: int = 1, listener: Listener | None = None
) -> Turn:
    """The next turn of a conversation. With a ``listener`` the reply is streamed; what it does not tell is in the turn.

    Raises the ``ModelError`` that ended it.
    """
    checker = CallChecker(tools, task.tool_choice)
    loop = TurnLoop(task, checker, repairs)
    run = await Pump(model, checker, listener).drive(loop.run())
    if loop.turn.error is not None:
        raise loop.turn.error
    return replace(loop.turn, run=run)
