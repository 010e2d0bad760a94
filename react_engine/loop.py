"""The ReAct protocol as a generator: no I/O, no clock, no model.

``react_loop`` yields what it needs (``AskModel``, ``CallTools``) or tells (an event), is sent the answer, and
returns the ``Run``. Whoever drives it brings the model, the tools and the time, so that one function serves
sync, async, streaming and replay.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import structs

from react_engine.errors import ModelError, ToolsRefused
from react_engine.events import CallEnded, FellBack, Gated, Slip, StepBegan
from react_engine.gating import begun_thought, decided, gate_request, prompt_path, urged
from react_engine.grounding import GroundingGuard, objected
from react_engine.limits import Limits
from react_engine.models.base import Reply
from react_engine.paths.base import Ask, Path, PathReading, Slipped, ToolChoice
from react_engine.paths.select import Paths
from react_engine.protocol import Answer, Answered, AskGate, AskModel, Called, CallTools, Demand, Failed, Stopped
from react_engine.repeats import REPEATED, RepeatGuard
from react_engine.runs import EndState, Fallback, FallbackReason, GateDecision, Run, Step
from react_engine.types import Message, PathName, Problem, Status, ToolCall, ToolResult, Transcript, Usage


@dataclass(frozen=True, slots=True)
class Task:
    """What a run is about: the conversation so far, ending with what the user wants, and how far it may go."""

    transcript: Transcript
    paths: Paths
    limits: Limits = Limits()
    tool_choice: ToolChoice = "auto"
    sampling: Mapping[str, Any] = field(default_factory=dict)
    until_success: bool = False
    """End as answered with the first call that succeeds."""


def react_loop(task: Task) -> Generator[Demand, Answer, Run]:
    """Drive a task to its end. Nothing a model or a tool says makes it raise."""
    return (yield from _Loop(task).run())


def ruled_out(call: ToolCall, choice: ToolChoice) -> ToolResult | None:
    """The result of a call that the tool choice does not allow: servers and prompts ask, they do not prevent."""
    if choice in ("auto", "required", call.name):
        return None
    text, hint = f"Only {choice} may be used now.", f"Call {choice}."
    if choice == "none":
        text, hint = "No tool may be used now.", "Answer in words."
    return ToolResult(call.id, call.name, Status.DENIED, text, hint, code="tool_choice", attempts=0)


def _not_run(call: ToolCall) -> ToolResult:
    """The result of a call that had not ended when the run was stopped."""
    text = f"{call.name} did not come to its end: the run was stopped."
    return ToolResult(call.id, call.name, Status.CANCELLED, text, code="cancelled", attempts=0)


class _End(Exception):
    """Leaves the loop from wherever the end was noticed."""

    def __init__(
        self, state: EndState, message: str, answer: str | None = None, error: ModelError | None = None
    ) -> None:
        super().__init__(message)
        self.state, self.message, self.answer, self.error = state, message, answer, error


_Flow = Generator[Demand, Answer, Any]


class _Loop:
    """The state of one run."""

    def __init__(self, task: Task) -> None:
        self.task, self.limits, self.paths = task, task.limits, task.paths
        self.transcript: list[Message] = list(task.transcript)
        self.steps: list[Step] = []
        self.slips: list[Slipped] = []
        self.slipped = self.cuts = 0
        self.fallbacks: list[Fallback] = []
        self.guard, self.grounding = RepeatGuard(task.limits), GroundingGuard()
        self.objected: list[Message] = []
        self.usage, self.at = Usage(), 0.0
        self.leaked = False
        self.gate: GateDecision | None = None
        self.calls_made = self.denied_steps = self.garbled_steps = 0
        self.stopped: Stopped | None = None  # while calls were under way
        self.chosen = False  # whether a call was made that the tool choice asks for
        self.used_ids = {call.id for message in task.transcript for call in message.calls}

    def run(self) -> Generator[Demand, Answer, Run]:
        try:
            yield from self._ask_gate()
            while True:
                yield from self._turn()
        except _End as end:
            return self._finished(end)

    def _ask_gate(self) -> _Flow:
        """Let the model say first whether it needs a tool, where its record wants that. No failure here counts."""
        path, profile = self.paths.current, self.paths.profile
        request = gate_request(path, profile, self.task.tool_choice, tuple(self.transcript))
        if request is None:
            return
        self._check_budget()
        answer = yield AskGate(request)
        self._heed(answer)
        if isinstance(answer, Answered):
            self.usage += answer.reply.usage
            self.gate = decided(path, profile, answer.reply)
            if self.gate is not None:
                yield Gated(self.gate)

    def _turn(self) -> _Flow:
        """One reply and what comes of it."""
        self._check_budget()
        if self.limits.steps is not None and len(self.steps) >= self.limits.steps:
            yield from self._force(EndState.MAX_STEPS, f"The limit of {self.limits.steps} steps was reached.")
        path, reply = yield from self._ask()
        read = path.read(reply)
        if (yield from self._left_native(path, read)):
            return
        reading = read.reading
        if reading.calls:
            yield from self._act(path, reply, read)
        elif reading.answer is not None and not self._must_call():
            self._answered(path, reply, read)
        else:
            yield from self._slip(path, reply, read)

    def _ask(self, forced: str = "") -> Generator[Demand, Answer, tuple[Path, Reply]]:
        """The model's reply, on whichever path it can be had."""
        step = len(self.steps)
        for _ in range(8):  # each round gives up one thing that the server refuses
            path = self.paths.current
            yield StepBegan(step, path.name)
            gate = None if forced or self.steps or self.slips else self.gate
            lead = begun_thought(gate, path, self.transcript) or self._unknown_lead(path, forced)
            ask = Ask(
                tuple(self.transcript),
                tuple(self.slips),
                forced,
                self._choice(),
                self.task.sampling,
                self.leaked,
                lead,
                urged(gate, self._choice()),
                2**self.cuts,
                self._left_out(path) if not forced else frozenset(),
            )
            answer = yield AskModel(step, path, path.request(ask))
            self._heed(answer)
            if isinstance(answer, Answered):
                self.usage += answer.reply.usage
                return path, replace(answer.reply, text=f" {lead}{answer.reply.text}") if lead else answer.reply
            if not isinstance(answer, Failed):
                raise TypeError(f"AskModel was answered with {type(answer).__name__}.")
            yield from self._adapt(path, answer.error)
        raise _End(EndState.ERROR, "The server refused every form of the request.")

    def _choice(self) -> ToolChoice:
        """A forced call is forced until it was made: afterwards the model must be free to answer."""
        forced_on = self.task.tool_choice == "none" or self.task.until_success
        return self.task.tool_choice if forced_on or not self.chosen else "auto"

    def _unknown_lead(self, path: Path, forced: str) -> str:
        """How the thought behind an objection begins: what was made up is else taken for known."""
        prompted = prompt_path(path)
        results = self.steps[-1].results if self.steps and not forced and not self.slips else ()
        if prompted is None or not results or not all(map(objected, results)):
            return ""
        return prompted.unknown_lead(results[0].value)

    def _left_out(self, path: Path) -> frozenset[str]:
        """The tools whose calls were just refused: asked again at once, small models make the same call."""
        prompted = prompt_path(path)
        grounded = prompted is not None and prompted.origins is not None
        results = self.steps[-1].results if self.steps and grounded else ()
        return frozenset(result.name for result in results if objected(result) or result.code == REPEATED)

    def _must_call(self) -> bool:
        """Whether a tool has to be called before an answer counts."""
        return self._choice() not in ("auto", "none")

    def _adapt(self, path: Path, error: ModelError) -> _Flow:
        """Another path or a plainer request after a refusal; anything else ends the run."""
        if isinstance(error, ToolsRefused) and path.name == "native" and self.paths.may_switch:
            yield from self._fall_back(FallbackReason.TOOLS_REFUSED, "prompt", str(error), error.status)
            return
        feature = self.paths.give_up(error)
        if feature is None:
            raise _End(EndState.ERROR, str(error), error=error)
        yield from self._fall_back(FallbackReason.FEATURE_REFUSED, path.name, feature, error.status)

    def _left_native(self, path: Path, read: PathReading) -> Generator[Demand, Answer, bool]:
        """Whether the reply is void because the model never saw the tools, or cannot write their arguments."""
        if path.name != "native":
            return False
        if read.leaked:
            self.leaked = True
            yield from self._fall_back(FallbackReason.LEAKED_CALL, "native", "The call stood in the text of the reply.")
        if read.dropped and not read.reading.calls and self.paths.may_switch:
            yield from self._fall_back(
                FallbackReason.TOOLS_DROPPED, "prompt", "The server's prompt was too short to hold the tools."
            )
            return True
        self.garbled_steps = self.garbled_steps + 1 if read.garbled else 0
        if self.garbled_steps >= 2 and self.paths.may_switch:
            self.garbled_steps = 0
            yield from self._fall_back(
                FallbackReason.MALFORMED_ARGUMENTS, "prompt", "The arguments of native calls stayed malformed."
            )
        return False

    def _fall_back(self, reason: FallbackReason, target: PathName, detail: str, status: int | None = None) -> _Flow:
        fallback = Fallback(len(self.steps), reason, self.paths.current.name, target, detail, status)
        if fallback not in self.fallbacks:
            self.fallbacks.append(fallback)
        self.paths.use(target)
        yield FellBack(fallback)

    def _act(self, path: Path, reply: Reply, read: PathReading) -> _Flow:
        """Run the calls of a step, and look what that means for the run."""
        calls = self._numbered(read.reading.calls)
        self.slips.clear()
        self.cuts = 0
        results = yield from self._results(path, calls)
        self._record(path, reply, read, calls, results)
        if self.stopped is not None:
            self._heed(self.stopped)
        if self.task.until_success and any(result.ok for result in results):
            raise _End(EndState.ANSWERED, "The call was made.")
        if read.reading.problems:  # one call was good, another broken: say so with the results
            self.slips.append(Slipped(read.raw, read.reading.problems))
        yield from self._look_at(results)

    def _look_at(self, results: Sequence[ToolResult]) -> _Flow:
        if self.guard.must_stop():
            yield from self._force(EndState.LOOP, "The same call was repeated without a new result.")
        if self.limits.calls is not None and self.calls_made >= self.limits.calls:
            yield from self._force(EndState.MAX_CALLS, f"The limit of {self.limits.calls} calls was reached.")
        refused = [result for result in results if result.status is Status.DENIED and result.code != REPEATED]
        self.denied_steps = self.denied_steps + 1 if len(refused) == len(results) else 0
        if self.denied_steps >= 2:
            yield from self._force(EndState.DENIED, "The calls that the model wants were denied.")

    def _results(self, path: Path, calls: Sequence[ToolCall]) -> Generator[Demand, Answer, tuple[ToolResult, ...]]:
        """A result for each call: from the tools, the guards, or the limit."""
        results: dict[str, ToolResult] = {}
        wanted: list[ToolCall] = []
        choice = "auto" if self.task.until_success else self._choice()  # there whoever answers the calls judges them
        for call in calls:
            refused = (
                ruled_out(call, choice)
                or self.grounding.refused(call, path, self.transcript)
                or self.guard.refused(call)
            )
            if refused is None and self.limits.calls is not None and self.calls_made >= self.limits.calls:
                refused = ToolResult(
                    call.id,
                    call.name,
                    Status.RATE_LIMITED,
                    f"The limit of {self.limits.calls} calls is used up.",
                    attempts=0,
                )
            if refused is not None:
                results[call.id] = refused
                yield CallEnded(call, refused)
                continue
            self.calls_made += 1
            wanted.append(call)
        if wanted:
            answer = yield CallTools(tuple(wanted))
            if isinstance(answer, Stopped):
                self.stopped = answer
                came = {result.call_id: result for result in answer.results}
                results |= {call.id: came.get(call.id) or _not_run(call) for call in wanted}
                return tuple(results[call.id] for call in calls)
            self._heed(answer)
            if not isinstance(answer, Called):
                raise TypeError(f"CallTools was answered with {type(answer).__name__}.")
            self.chosen = True
            for call, result in zip(wanted, answer.results, strict=True):
                results[call.id] = self.guard.seen(call, result)
        return tuple(results[call.id] for call in calls)

    def _numbered(self, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
        """The calls with ids that are unique in the transcript."""
        numbered = []
        for call in calls:
            call_id = call.id
            while not call_id or call_id in self.used_ids:
                call_id = f"call{len(self.used_ids):05d}"  # nine letters and digits: the strictest servers take it
                if call_id in self.used_ids:
                    self.used_ids.add(f"{call_id}+")
            self.used_ids.add(call_id)
            numbered.append(call if call.id == call_id else structs.replace(call, id=call_id))
        return tuple(numbered)

    def _record(
        self, path: Path, reply: Reply, read: PathReading, calls: tuple[ToolCall, ...], results: tuple[ToolResult, ...]
    ) -> None:
        reading = read.reading
        step = Step(len(self.steps), path.name, reading, calls, results, reply.usage, reply.finish_reason)
        self.steps.append(step)
        said = (
            Message("assistant", reading.text, thought=reading.reasoning, calls=calls),
            Message("tool", results=results),
        )
        if all(map(objected, results)):
            self.objected.extend(said)
        else:  # like a slip, what was objected to is forgotten once a good call came: small models copy what they see
            self.transcript = [
                message for message in self.transcript if not any(message is one for one in self.objected)
            ]
            self.objected.clear()
        self.transcript.extend(said)

    def _answered(self, path: Path, reply: Reply, read: PathReading) -> None:
        reading = read.reading
        self.steps.append(
            Step(len(self.steps), path.name, reading, usage=reply.usage, finish_reason=reply.finish_reason)
        )
        self._say(reading.answer or "", reading.reasoning)
        if reading.truncated:
            raise _End(EndState.TRUNCATED, "The answer was cut off: allow more tokens.", reading.answer)
        raise _End(EndState.ANSWERED, "The model answered.", reading.answer)

    def _say(self, answer: str, thought: str | None = None) -> None:
        self.transcript.append(Message.assistant(answer, thought=thought))

    def _slip(self, path: Path, reply: Reply, read: PathReading) -> _Flow:
        """A reply that could not be read: told to the model, up to the limit."""
        reading = read.reading
        if reading.answer is not None:
            reading = structs.replace(reading, problems=(self._missing_call(), *reading.problems))
        self.slipped += 1
        prompted = prompt_path(path)
        if reading.truncated and prompted is not None and prompted.ends_with_room(self.task.sampling):
            self.cuts += 1  # told to be brief, a small model writes the same again
        else:
            self.slips.append(Slipped(read.raw, reading.problems))
        yield Slip(len(self.steps), read.raw, reading.problems)
        self._check_budget()
        if (bad := len(self.slips) + self.cuts) > self.limits.format_retries:
            last = reading.problems[0].message if reading.problems else "Nothing could be read from it."
            state = EndState.TRUNCATED if reading.truncated else EndState.FORMAT
            yield from self._force(state, f"{bad} replies in a row could not be read. {last}")

    def _missing_call(self) -> Problem:
        choice = self._choice()
        wanted = "a tool" if choice == "required" else choice
        return Problem("no-call", f"The reply answers without calling {wanted}.", f"Call {wanted} first.")

    def _force(self, state: EndState, message: str) -> _Flow:
        """Ask once for the best answer from what is known, then end."""
        self._check_budget()
        self.slips.clear()
        self.cuts = 0
        path, reply = yield from self._ask(forced=message)
        reading = path.read(reply).reading
        answer = reading.answer
        if answer is None and not reading.calls:
            answer = reading.text.strip() or None
        if answer is not None:
            self._say(answer, reading.reasoning)
        raise _End(state, message, answer)

    def _heed(self, answer: Answer) -> None:
        if answer is None:
            raise TypeError("A demand was answered with None.")
        self.at = answer.at
        if isinstance(answer, Stopped):
            self._check_budget()  # time may be what stopped it
            raise _End(EndState.CANCELLED, "The run was cancelled.")

    def _check_budget(self) -> None:
        """End the run when tokens, seconds or money are used up: nothing more may be spent, not even on an answer."""
        limits, used = self.limits, self.usage
        for name, limit, spent in (
            ("tokens", limits.tokens, used.total_tokens),
            ("seconds", limits.seconds, self.at),
            ("US dollars", limits.money, used.cost or 0.0),
        ):
            if limit is not None and spent >= limit:
                raise _End(EndState.BUDGET, f"The budget of {limit:g} {name} is used up ({spent:g} spent).")

    def _finished(self, end: _End) -> Run:
        return Run(
            end=end.state,
            answer=end.answer,
            message=end.message,
            steps=tuple(self.steps),
            transcript=tuple(self.transcript),
            usage=self.usage,
            elapsed=self.at,
            model=self.paths.profile.name,
            fallbacks=tuple(self.fallbacks),
            slips=self.slipped,
            gate=self.gate,
            error=end.error,
        )
