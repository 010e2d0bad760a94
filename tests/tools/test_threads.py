"""Threads that nobody waits for."""

from __future__ import annotations

import asyncio
import contextvars
import threading

import pytest

from react_engine.tools.threads import MAX_IDLE, NAME, Outcome, call_in_thread

pytestmark = pytest.mark.anyio


def workers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == NAME]


async def test_values_and_errors_come_back() -> None:
    error = KeyboardInterrupt()

    def fail() -> None:
        raise error

    assert await call_in_thread(divmod, 7, 2) == Outcome((3, 1))
    assert await call_in_thread(fail) == Outcome(error=error)


async def test_context_variables_go_in_and_do_not_come_out() -> None:
    variable = contextvars.ContextVar("variable", default="unset")
    variable.set("outer")

    def look() -> str:
        seen = variable.get()
        variable.set("inner")
        return seen

    assert [(await call_in_thread(look)).value for _ in range(3)] == ["outer"] * 3
    assert variable.get() == "outer"


async def test_more_calls_at_once_than_idle_workers_all_run_again_and_again() -> None:
    many = 2 * MAX_IDLE
    for _ in range(3):
        barrier = threading.Barrier(many)
        outcomes = await asyncio.gather(*(call_in_thread(barrier.wait) for _ in range(many)))
        assert sorted(outcome.value for outcome in outcomes) == list(range(many))


async def test_a_worker_that_hangs_takes_no_call_with_it() -> None:
    release = threading.Event()
    hanging = asyncio.create_task(call_in_thread(release.wait))
    assert (await call_in_thread(lambda: "free")).value == "free"
    hanging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hanging
    release.set()


def test_a_call_that_outlives_its_loop_is_dropped() -> None:
    release = threading.Event()

    async def abandon() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(call_in_thread(release.wait), 0.01)

    asyncio.run(abandon())
    release.set()
    assert asyncio.run(call_in_thread(lambda: "next")) == Outcome("next")


async def test_workers_never_keep_the_interpreter_from_exiting() -> None:
    await call_in_thread(lambda: None)
    assert workers()
    assert all(thread.daemon for thread in workers())
