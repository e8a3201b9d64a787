"""Virtual time: what is due fires alone, in order, and takes no real time."""

from __future__ import annotations

import asyncio
import time

import pytest

from strands_plan_tool.executor.clock import AsyncioClock
from strands_plan_tool.testing import VirtualClock


async def note(log: list[tuple[str, float]], name: str, clock: VirtualClock, at: float) -> None:
    await clock.sleep(at)
    log.append((name, clock.now()))


def test_an_hour_passes_in_a_moment_and_is_exactly_an_hour() -> None:
    clock = VirtualClock()
    began = time.monotonic()
    clock.run(clock.sleep(3600))
    assert clock.now() == 3600
    assert time.monotonic() - began < 3600


def test_timers_fire_by_time_and_those_due_together_in_the_order_they_were_set() -> None:
    clock, log = VirtualClock(), list[tuple[str, float]]()

    async def main() -> None:
        waits = {"a": 0.3, "b": 0.1, "c": 0.3, "d": 0.2, "e": 0.3}
        await asyncio.gather(*(note(log, name, clock, at) for name, at in waits.items()))

    clock.run(main())
    assert log == [("b", 0.1), ("d", 0.2), ("a", 0.3), ("c", 0.3), ("e", 0.3)]


def test_a_timer_has_all_its_consequences_before_the_next_that_is_due_with_it() -> None:
    clock, log = VirtualClock(), list[str]()

    async def first() -> None:
        await clock.sleep(1)
        for turn in range(5):
            await asyncio.sleep(0)
            log.append(f"first {turn}")

    async def second() -> None:
        await clock.sleep(1)
        log.append("second")

    async def main() -> None:
        await asyncio.gather(first(), second())

    clock.run(main())
    assert log == ["first 0", "first 1", "first 2", "first 3", "first 4", "second"]


def test_a_sleep_of_no_time_waits_behind_timers_that_are_due_already() -> None:
    clock, log = VirtualClock(), list[tuple[str, float]]()

    async def main() -> None:
        early = asyncio.ensure_future(note(log, "early", clock, 0))
        await asyncio.sleep(0)
        await note(log, "late", clock, 0)
        await early

    clock.run(main())
    assert log == [("early", 0), ("late", 0)]


def test_sums_of_times_come_out_even() -> None:
    clock, log = VirtualClock(), list[tuple[str, float]]()

    async def twice() -> None:
        await clock.sleep(0.1)
        await note(log, "sum", clock, 0.2)

    async def main() -> None:
        await asyncio.gather(twice(), note(log, "whole", clock, 0.3))

    clock.run(main())
    assert log == [("whole", 0.3), ("sum", 0.3)]


def test_the_loop_s_own_waits_are_in_virtual_time_too() -> None:
    clock = VirtualClock()

    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5):
                await asyncio.sleep(10)
        await AsyncioClock().sleep(2)

    clock.run(main())
    assert clock.now() == 7


def test_a_cancelled_timer_does_not_move_the_clock() -> None:
    clock = VirtualClock()

    async def main() -> None:
        waiting = asyncio.ensure_future(clock.sleep(100))
        await clock.sleep(1)
        waiting.cancel()
        await clock.sleep(1)

    clock.run(main())
    assert clock.now() == 2


def test_the_clock_stands_still_while_a_thread_works() -> None:
    clock = VirtualClock()
    done: list[float] = []

    async def work() -> None:
        done.append(await asyncio.to_thread(clock.now))

    async def main() -> None:
        await asyncio.gather(work(), clock.sleep(60))

    clock.run(main())
    assert (done, clock.now()) == ([0.0], 60)


def test_time_goes_on_from_one_run_to_the_next() -> None:
    clock = VirtualClock()
    clock.run(clock.sleep(1))
    clock.run(clock.sleep(2))
    assert clock.now() == 3


def test_it_sleeps_only_in_its_own_run() -> None:
    with pytest.raises(RuntimeError, match="own run"):
        VirtualClock().run(VirtualClock().sleep(1))


async def test_the_ordinary_clock_goes_by_the_running_loop() -> None:
    clock = AsyncioClock()
    before = clock.now()
    await clock.sleep(0)
    assert before <= clock.now() <= asyncio.get_running_loop().time()


async def test_an_ordinary_sleep_can_be_cancelled() -> None:
    waiting = asyncio.ensure_future(AsyncioClock().sleep(3600))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
