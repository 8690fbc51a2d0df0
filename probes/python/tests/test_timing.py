"""The loops, with calls that count, and clocks whose figures are known."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from sectax_probe.kit import timing
from sectax_probe.kit.timing import Failed, Operation


class Refused(Exception):
    pass


class Calls:
    """A call that counts itself and refuses, or breaks, at chosen numbers."""

    def __init__(self, refuse: set[int] | None = None, break_at: int | None = None) -> None:
        self.made = 0
        self.refuse = refuse or set()
        self.break_at = break_at

    def __call__(self) -> bytes:
        self.made += 1
        if self.made == self.break_at:
            raise ZeroDivisionError("oh")
        if self.made in self.refuse:
            raise Refused
        return b"four"

    def operation(self, constant_size: bool = True) -> Operation:
        return Operation(call=self, witnesses={}, refusals=(Refused,), constant_size=constant_size)


def measure(operation: Operation, **how: Any) -> dict[str, Any]:
    return timing.measure(operation, **how)


@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize(("count", "settle"), [(1, 0), (1, 5), (7, 7), (100, 3)])
def test_exactly_settle_and_count_calls_are_made(count: int, settle: int, each: bool) -> None:
    calls = Calls()

    measured = measure(calls.operation(), count=count, settle=settle, each=each)

    assert calls.made == count + settle
    assert len(measured["elapsed_ns"]) == (count if each else 1)
    assert all(elapsed > 0 for elapsed in measured["elapsed_ns"])
    assert (measured["failures"], measured["bytes"]) == (0, 4 * count)


@pytest.mark.parametrize("each", [False, True])
def test_refusals_are_counted_and_the_batch_goes_on(each: bool) -> None:
    calls = Calls(refuse={1, 4, 5, 10})  # the first falls into settling

    measured = measure(calls.operation(), count=8, settle=2, each=each)

    assert calls.made == 10
    assert (measured["failures"], measured["bytes"]) == (3, None)


def test_a_batch_has_cpu_time_and_single_operations_have_none() -> None:
    batch = measure(Calls().operation(), count=1000, settle=10, each=False)
    singles = measure(Calls().operation(), count=1000, settle=10, each=True)

    assert batch["cpu_ns"] is not None
    assert batch["cpu_ns"] > 0
    assert singles["cpu_ns"] is None


def test_waiting_is_no_cpu_time() -> None:
    asleep = Operation(call=lambda: time.sleep(0.01), witnesses={}, refusals=(), constant_size=True)

    measured = measure(asleep, count=3, settle=0, each=False)

    assert measured["elapsed_ns"][0] >= 30_000_000
    assert measured["cpu_ns"] is not None
    assert measured["cpu_ns"] < 15_000_000


def test_what_settles_is_no_part_of_the_cpu_time() -> None:
    sizes = iter([500_000] * 5 + [1] * 5)
    turn = Operation(lambda: sum(range(next(sizes))), witnesses={}, refusals=(), constant_size=True)

    measured = measure(turn, count=5, settle=5, each=False)

    assert measured["cpu_ns"] is not None
    assert measured["cpu_ns"] < 5_000_000  # the five that settle take above 20 ms


def test_bytes_are_not_guessed_where_lengths_vary() -> None:
    assert measure(Calls().operation(constant_size=False), count=3, settle=0, each=False)["bytes"] is None


@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize("when", [1, 5])
def test_an_accident_is_never_a_timing(each: bool, when: int) -> None:
    with pytest.raises(Failed, match="ZeroDivisionError: oh"):
        measure(Calls(break_at=when).operation(), count=5, settle=3, each=each)


def described(clock: Callable[[], int]) -> dict[str, Any]:
    return timing.describe("clock", clock)


def ticking(cost: int, step: int) -> Callable[[], int]:
    """A clock that takes *cost* ns to read and shows whole steps only."""
    now = 0

    def read() -> int:
        nonlocal now
        now += cost
        return now - now % step

    return read


def test_a_fine_clock_shows_the_cost_of_a_reading() -> None:
    assert described(ticking(cost=40, step=1)) == {
        "name": "clock",
        "granularity_ns": 40,
        "read_ns": 40,
    }


def test_the_smallest_step_is_found_between_larger_ones() -> None:
    found = described(ticking(cost=33, step=10))

    assert found["granularity_ns"] == 30
    assert found["read_ns"] in (30, 40)


def test_a_clock_coarser_than_its_reading_is_read_until_it_moves() -> None:
    found = described(ticking(cost=50, step=1_000_000))

    assert found["granularity_ns"] == 1_000_000
    assert found["read_ns"] == pytest.approx(50, abs=4)


def test_a_clock_that_stands_still_is_no_clock() -> None:
    with pytest.raises(Failed, match="did not move"):
        described(lambda: 5)


def test_the_real_clock_is_described_well_within_50_ms() -> None:
    quickest = min(timed() for _ in range(5))

    assert quickest < 50e-3


def timed() -> float:
    start = time.perf_counter()
    described(time.perf_counter_ns)
    return time.perf_counter() - start
