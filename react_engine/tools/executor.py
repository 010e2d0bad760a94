"""Runs the calls of one reply and gives a result for each, whatever happens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from msgspec import structs

from react_engine.errors import ConfigurationError, InvalidArguments, UnknownTool
from react_engine.tools import failures
from react_engine.tools.attempts import Sleep, attempt, with_retries
from react_engine.tools.cache import ResultCache
from react_engine.tools.confirmation import Confirm, Confirmations
from react_engine.tools.dependencies import References
from react_engine.tools.failures import Failure
from react_engine.tools.limits import CallBudget, RateWindow
from react_engine.tools.redaction import Redactor
from react_engine.tools.results import show, to_text
from react_engine.tools.threads import Outcome
from react_engine.tools.tool import RateLimit, Tool
from react_engine.tools.validation import canonical, validate
from react_engine.types import Arguments, Status, ToolCall, ToolResult

# Characters of an error text that reach the model where no tool sets a limit.
ERROR_LIMIT = 4000
# The longest wait in seconds for a turn under a rate limit; a shorter timeout of the tool shortens it.
LONGEST_TURN = 60.0


class Lookup(Protocol):
    """Where tools are found: a ``Registry``."""

    def get(self, name: str) -> Tool:
        """The tool of that name, or UnknownTool."""
        ...


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A call is about to run, or to be refused. ``secret``: its result must stay out of logs and traces."""

    call: ToolCall
    secret: bool = False


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A call has its result."""

    call: ToolCall
    result: ToolResult
    secret: bool = False


Observer = Callable[[CallStarted | CallEnded], None]


@dataclass(frozen=True, slots=True)
class _Ready:
    """A call that may run, with its arguments as the tool takes them and as plain JSON values."""

    call: ToolCall
    tool: Tool
    arguments: Arguments
    plain: Arguments


class Executor:
    """Runs calls: looks tools up, validates, asks, runs, retries, and turns what comes of it into results.

    The calls of one reply give what they would give one after the other: calls of tools without side
    effects run at the same time, a call of a tool with side effects runs alone, after the calls before it
    and before those behind it. All questions are put, in call order, before the first call runs.

    Args:
        registry: Where tools are found.
        confirm: Asked before a tool runs that wants it so; without it such a call is denied.
        redactor: Masks secrets in everything a tool says; ``Redactor(defaults=False)`` masks nothing.
        concurrency: Calls of one reply that run at the same time.
        cache_size: Results kept, of all tools with a ``cache_ttl`` together.
        clock: Seconds that only grow; for elapsed times, the cache and rate limits.
        sleep: Waits before a retry or for a turn under a rate limit.
    """

    def __init__(
        self,
        registry: Lookup,
        *,
        confirm: Confirm | None = None,
        redactor: Redactor | None = None,
        concurrency: int = 8,
        cache_size: int = 256,
        clock: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        if concurrency < 1 or cache_size < 1:
            raise ConfigurationError(f"concurrency and cache_size must be positive: {concurrency}, {cache_size}.")
        self._registry = registry
        self._confirmations = Confirmations(confirm)
        self._redactor = redactor or Redactor()
        self._concurrency = concurrency
        self._cache = ResultCache(cache_size, clock)
        self._windows: dict[tuple[str, RateLimit], RateWindow] = {}
        self._clock = clock
        self._sleep = sleep

    async def execute(
        self,
        calls: Sequence[ToolCall],
        budget: CallBudget | None = None,
        observer: Observer | None = None,
    ) -> list[ToolResult]:
        """One result for each call, in their order.

        The budget counts the calls of a run over its replies. The observer is told of every call when it
        starts and when it ends, in the event loop; what it raises goes to the loop's exception handler.

        Raises nothing but CancelledError, when the caller is cancelled: async tools are then stopped, and
        given two seconds to clean up; a sync tool runs on in its thread, and what it returns is dropped.
        A result with masked or secret output has no ``value``: nothing of it is left for a log to show.
        """
        calls = tuple(calls)
        budget = budget or CallBudget()
        results: dict[int, ToolResult] = {}
        ready: dict[int, _Ready] = {}
        references = References(calls)
        for position in range(len(calls)):
            admitted = await self._admit(calls, position, references, budget)
            if isinstance(admitted, _Ready):
                ready[position] = admitted
            else:
                _tell(observer, CallStarted(calls[position]))
                _tell(observer, CallEnded(calls[position], admitted))
                results[position] = admitted
        slots = asyncio.Semaphore(self._concurrency)
        for group in _groups(ready):
            if len(group) == 1:
                results[group[0]] = await self._run(ready[group[0]], slots, observer)
                continue
            async with asyncio.TaskGroup() as tasks:
                running = {
                    position: tasks.create_task(self._run(ready[position], slots, observer)) for position in group
                }
            results.update((position, task.result()) for position, task in running.items())
        return [results[position] for position in range(len(calls))]

    async def _admit(
        self, calls: Sequence[ToolCall], position: int, references: References, budget: CallBudget
    ) -> _Ready | ToolResult:
        call = calls[position]
        checked = self._check(calls, position, references)
        if isinstance(checked, _Ready):
            reason = budget.admit(checked.tool)
            if reason is not None:
                checked = failures.over_budget(reason)
            elif checked.tool.options.asks_first:
                asked = structs.replace(call, arguments=checked.plain)  # what runs, not what was written
                checked = await self._confirmations.refusal(asked, checked.tool) or checked
        return checked if isinstance(checked, _Ready) else self._failed(call, checked, attempts=0)

    def _check(self, calls: Sequence[ToolCall], position: int, references: References) -> _Ready | Failure:
        """Whether a call can run as it is written."""
        call = calls[position]
        if call.problem is not None:
            return failures.unreadable(call.problem)
        try:
            tool = self._registry.get(call.name)
        except UnknownTool as error:
            return failures.unknown_tool(error)
        if call.lossy and not tool.options.takes_lossy:
            return failures.unclear(call)
        reference = references.find(position)
        if reference is not None:
            return failures.premature(call, reference, calls[reference.position])
        try:
            validated = validate(tool, call.arguments)
        except InvalidArguments as error:
            return failures.invalid_arguments(error)
        except Exception as error:  # a validator of the tool's author  # noqa: BLE001
            return failures.raised(tool, error, attempts=0)
        return _Ready(call, tool, validated.arguments, validated.plain)

    async def _run(self, ready: _Ready, slots: asyncio.Semaphore, observer: Observer | None) -> ToolResult:
        call, options = ready.call, ready.tool.options
        async with slots:
            started = self._clock()
            _tell(observer, CallStarted(call, options.secret))
            try:
                if options.cache_ttl is None or options.side_effects:
                    result = await self._perform(ready)
                else:
                    key = canonical(ready.plain)
                    result = await self._cache.get(ready.tool, key, options.cache_ttl, lambda: self._perform(ready))
            except asyncio.CancelledError as error:
                result = self._failed(call, failures.raised(ready.tool, error, attempts=1), ready.tool)
                _tell(observer, CallEnded(call, result, options.secret))
                raise
            attempts = 0 if result.cached else result.attempts
            elapsed = self._clock() - started
            result = replace(result, call_id=call.id, name=call.name, attempts=attempts, elapsed=elapsed)
            _tell(observer, CallEnded(call, result, options.secret))
            return result

    async def _perform(self, ready: _Ready) -> ToolResult:
        call, tool = ready.call, ready.tool
        outcome, attempts = await with_retries(lambda: self._attempt(ready), tool.options, self._sleep)
        if outcome.error is not None:
            return self._failed(call, failures.raised(tool, outcome.error, attempts), tool, attempts)
        shown = show(to_text(outcome.value), tool.options.max_result, self._redactor)
        return ToolResult(
            call_id=call.id,
            name=call.name,
            status=Status.SUCCESS,
            text=shown.text,
            value=None if shown.redacted or tool.options.secret else outcome.value,
            attempts=attempts,
            cut=shown.cut,
            redacted=shown.redacted,
            secret=tool.options.secret,
        )

    async def _attempt(self, ready: _Ready) -> Outcome:
        options = ready.tool.options
        if options.rate_limit is not None:
            key = (ready.tool.name, options.rate_limit)
            window = self._windows.setdefault(key, RateWindow(options.rate_limit, self._clock))
            turn = window.take(min(options.timeout or LONGEST_TURN, LONGEST_TURN))
            if not turn.granted:
                return Outcome(error=failures.NoTurn(turn.wait))
            if turn.wait:
                await self._sleep(turn.wait)
        return await attempt(ready.tool, ready.arguments)

    def _failed(self, call: ToolCall, failure: Failure, tool: Tool | None = None, attempts: int = 1) -> ToolResult:
        limit = tool.options.max_result if tool else ERROR_LIMIT
        text, hint = (show(part, limit, self._redactor) for part in (failure.text, failure.hint))
        return ToolResult(
            call_id=call.id,
            name=call.name,
            status=failure.status,
            text=text.text,
            hint=hint.text,
            code=failure.code,
            attempts=attempts,
            cut=text.cut + hint.cut,
            redacted=text.redacted + hint.redacted,
            secret=bool(tool and tool.options.secret),
        )


def _tell(observer: Observer | None, event: CallStarted | CallEnded) -> None:
    if observer is None:
        return
    try:
        observer(event)
    except Exception as error:  # noqa: BLE001
        context = {"message": "The observer of an Executor failed.", "exception": error}
        asyncio.get_running_loop().call_exception_handler(context)


def _groups(ready: dict[int, _Ready]) -> Iterator[list[int]]:
    """Positions of calls that may run at the same time, group by group in call order."""
    group: list[int] = []
    for position, one in ready.items():
        if one.tool.options.side_effects:
            if group:
                yield group
            yield [position]
            group = []
        else:
            group.append(position)
    if group:
        yield group
