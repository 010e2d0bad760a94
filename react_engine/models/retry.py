"""Tries a request again when its failure was transient: exponential back-off with jitter, by tenacity."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TypeVar

from react_engine.errors import ModelError, ModelTimeout

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]

FIRST_WAIT = 0.5
LONGEST_WAIT = 8.0
LONGEST_ASKED = 60.0
"""Seconds: a server that asks for a longer pause gets no second try; the error says how long it asked for."""


def worth_retrying(error: BaseException) -> bool:
    """Whether the same request may succeed in a moment.

    A server that let the whole timeout pass is not asked again: it may still be at work on the first request.
    Nor is one that could not read the model's call: the caller may be able to.
    """
    if not isinstance(error, ModelError) or not error.retryable or error.generation:
        return False
    if isinstance(error, ModelTimeout) and error.status is None:
        return False
    return (error.retry_after or 0.0) <= LONGEST_ASKED


async def with_retries(attempt: Callable[[], Awaitable[T]], retries: int, sleep: Sleep = asyncio.sleep) -> T:
    """The result of ``attempt``, tried up to ``retries`` times more after transient failures.

    Raises the error of the last try. The server's ``Retry-After`` counts in place of the back-off.
    """
    try:
        return await attempt()
    except ModelError as error:
        if retries < 1 or not worth_retrying(error):
            raise
        failed: list[ModelError] = [error]

    import tenacity  # only now: a request that succeeds does not pay for it

    async def again() -> T:
        if failed:
            raise failed.pop()
        return await attempt()

    backoff = tenacity.wait_exponential(multiplier=FIRST_WAIT, max=LONGEST_WAIT) + tenacity.wait_random(0, FIRST_WAIT)

    def wait(state: tenacity.RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, ModelError) else None
        return backoff(state) if asked is None else asked

    retrying = tenacity.AsyncRetrying(
        stop=tenacity.stop_after_attempt(retries + 1),
        wait=wait,
        retry=tenacity.retry_if_exception(worth_retrying),
        sleep=sleep,
        reraise=True,
    )
    try:
        return await retrying(again)
    except ModelError as error:
        tries = retrying.statistics.get("attempt_number", 0)
        if tries > 1:
            error.message += f" Tried {tries} times."
        raise


async def streamed(
    begin: Callable[[], Awaitable[tuple[T, AsyncGenerator[T, None]] | None]], retries: int, sleep: Sleep = asyncio.sleep
) -> AsyncGenerator[T, None]:
    """The items of a stream that ``begin`` opens: its first item and the rest, or None for a stream without any.

    Only beginning is tried again: what was handed on cannot be taken back. Closing it closes the stream.
    """
    begun = await with_retries(begin, retries, sleep)
    if begun is None:
        return
    first, rest = begun
    try:
        yield first
        async for item in rest:
            yield item
    finally:
        await rest.aclose()
