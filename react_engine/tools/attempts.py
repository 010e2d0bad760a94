"""Runs a tool: in the loop or in a thread, within its time, again where the failure was a passing one.

Whatever a tool raises comes back as an ``Outcome``. A tool runs in a task of its own, so that one which
ignores its cancellation is left behind rather than waited for.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from copy import deepcopy
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any

from react_engine.errors import ToolError
from react_engine.tools.threads import Outcome, call_in_thread
from react_engine.tools.tool import Tool, ToolOptions, TypedArguments
from react_engine.types import Arguments

GRACE = 2.0
# Back-off before further attempts, in seconds; a random part of the same size as the first comes on top.
FIRST_WAIT = 0.25
LONGEST_WAIT = 8.0

Sleep = Callable[[float], Awaitable[None]]


class OutOfTime(TimeoutError):
    """The tool gave no result within its timeout."""


async def attempt(tool: Tool, arguments: Arguments, *, grace: float = GRACE) -> Outcome:
    """Run a tool once. Raises only CancelledError, when the caller is cancelled, after stopping the tool.

    A tool that is stopped gets ``grace`` seconds to clean up; then it is left behind.
    """
    task = asyncio.create_task(_contained(tool, arguments), name=f"tool {tool.name}")
    try:
        await asyncio.wait((task,), timeout=tool.options.timeout)
    except asyncio.CancelledError:
        await _stop(task, grace)
        raise
    if not task.done():
        await _stop(task, grace)
        return Outcome(error=OutOfTime())
    if task.cancelled():
        return Outcome(error=asyncio.CancelledError())
    error = task.exception()
    return task.result() if error is None else Outcome(error=error)


async def _contained(tool: Tool, arguments: Arguments) -> Outcome:
    try:
        # Plain arguments may be those of the call itself, which a tool must not change.
        own = arguments if isinstance(arguments, TypedArguments) else deepcopy(arguments)
        if tool.is_async:
            return _checked(await tool.run(own))
        outcome = await call_in_thread(tool.run, own)
        if outcome.error is not None:
            return outcome
        return _checked(await outcome.value if inspect.isawaitable(outcome.value) else outcome.value)
    except asyncio.CancelledError:
        raise
    except (KeyboardInterrupt, SystemExit) as error:
        # asyncio would end the whole loop over these. The user's own Ctrl-C cancels the run first.
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return Outcome(error=error)
    except Exception as error:  # noqa: BLE001
        return Outcome(error=error)


def _checked(value: Any) -> Outcome:
    """What a tool returned, unless it is no result: an exception handed back, or what has not run yet."""
    if isinstance(value, BaseException):
        return Outcome(error=value)
    if isinstance(value, CoroutineType):
        value.close()
        return Outcome(error=TypeError("the tool returned a coroutine that it did not await"))
    if isinstance(value, (GeneratorType, AsyncGeneratorType)):
        return Outcome(
            error=TypeError("the tool returned a generator, but a result is a text, a list or another value")
        )
    return Outcome(value)


async def _stop(task: asyncio.Task[Any], grace: float) -> None:
    task.add_done_callback(lambda ended: None if ended.cancelled() else ended.exception())  # seen: no warning
    task.cancel()
    await asyncio.wait((task,), timeout=grace)


def is_transient(options: ToolOptions, outcome: Outcome) -> bool:
    """Whether another attempt is worth it: a failure that the tool names, or a timeout that changed nothing."""
    error = outcome.error
    if error is None or isinstance(error, (ToolError, asyncio.CancelledError)):
        return False
    return not options.side_effects if isinstance(error, OutOfTime) else isinstance(error, options.retry_on)


async def with_retries(
    once: Callable[[], Awaitable[Outcome]], options: ToolOptions, sleep: Sleep
) -> tuple[Outcome, int]:
    """The outcome of the last attempt, and how many there were."""
    first = await once()
    if options.attempts == 1 or not is_transient(options, first):
        return first, 1
    return await _again(first, once, options, sleep)


async def _again(
    first: Outcome, once: Callable[[], Awaitable[Outcome]], options: ToolOptions, sleep: Sleep
) -> tuple[Outcome, int]:
    import tenacity  # only here: most calls succeed at once

    made = [first]

    async def next_outcome() -> Outcome:
        return made.pop() if made else await once()

    retrying = tenacity.AsyncRetrying(
        stop=tenacity.stop_after_attempt(options.attempts),
        wait=tenacity.wait_exponential(multiplier=FIRST_WAIT, max=LONGEST_WAIT) + tenacity.wait_random(0, FIRST_WAIT),
        retry=tenacity.retry_if_result(lambda outcome: is_transient(options, outcome)),
        retry_error_callback=lambda state: state.outcome.result() if state.outcome else first,
        sleep=sleep,
    )
    outcome: Outcome = await retrying(next_outcome)
    return outcome, int(retrying.statistics["attempt_number"])
