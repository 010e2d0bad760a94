"""Things that belong to an event loop are closed with it, at the latest."""

from __future__ import annotations

import asyncio
import gc
from urllib.parse import urlsplit

import pytest

from react_engine.models.connection import Lanes, PerLoop, is_loopback


class Thing:
    """Something with sockets."""

    def __init__(self) -> None:
        self.closed = 0
        self.gone = asyncio.Event()

    async def aclose(self) -> None:
        self.closed += 1
        self.gone.set()


class Making:
    """Makes things and keeps them."""

    def __init__(self) -> None:
        self.things: list[Thing] = []

    def __call__(self) -> Thing:
        self.things.append(Thing())
        return self.things[-1]


async def take(held: PerLoop[Thing]) -> Thing:
    return await held.get()


def test_one_loop_has_one_thing() -> None:
    made = Making()
    held = PerLoop(made)

    async def both() -> None:
        assert await held.get() is await held.get()

    asyncio.run(both())
    assert len(made.things) == 1


def test_a_loop_closes_its_thing_when_it_shuts_down() -> None:
    made = Making()
    held = PerLoop(made)
    assert asyncio.run(take(held)) is made.things[0]
    assert asyncio.run(take(held)) is made.things[1]
    assert [thing.closed for thing in made.things] == [1, 1]


def test_a_thing_whose_owner_is_dropped_at_the_end_is_closed() -> None:
    made = Making()

    async def main() -> None:
        await PerLoop(made).get()
        gc.collect()

    asyncio.run(main())
    assert [thing.closed for thing in made.things] == [1]


def test_a_loop_that_goes_on_closes_what_was_dropped() -> None:
    made = Making()

    async def main() -> None:
        await PerLoop(made).get()
        gc.collect()
        await asyncio.wait_for(made.things[0].gone.wait(), 10)

    asyncio.run(main())


def test_a_closed_thing_is_replaced_by_a_new_one() -> None:
    made = Making()
    held = PerLoop(made)

    async def main() -> None:
        await held.get()
        await held.aclose()
        await held.aclose()
        await held.get()

    asyncio.run(main())
    assert [thing.closed for thing in made.things] == [1, 1]


def test_a_loop_closed_without_a_shutdown_is_forgotten() -> None:
    made = Making()
    held = PerLoop(made)
    for _ in range(2):
        loop = asyncio.new_event_loop()
        loop.run_until_complete(take(held))
        loop.close()
    assert asyncio.run(take(held)) is made.things[2]


def test_free_lanes_are_taken_again_and_closed_after_a_while() -> None:
    async def main() -> None:
        lanes = Lanes(urlsplit("http://127.0.0.1:9/v1"), kept=60.0)
        first, second = lanes.take(), lanes.take()
        assert first is not second
        await lanes.give(first)
        await lanes.give(second)
        assert lanes.take() is second
        brief = Lanes(urlsplit("http://127.0.0.1:9/v1"), kept=-1.0)
        lane = brief.take()
        await brief.give(lane)
        assert brief.take() is not lane

    asyncio.run(main())


@pytest.mark.parametrize(
    ("host", "here"),
    [
        *(("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("a.localhost", True)),
        *(("10.0.0.1", False), ("example.org", False), ("localhost.example.org", False), ("", False)),
    ],
)
def test_loopback_addresses_are_known(host: str, here: bool) -> None:
    assert is_loopback(host) is here
