"""The clock's own figures, from clocks whose figures are known."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from sectax_probe import clock
from sectax_probe.answers import Failed


def ticking(cost: int, step: int) -> Callable[[], int]:
    """A clock that takes *cost* ns to read and shows whole steps only."""
    now = 0

    def read() -> int:
        nonlocal now
        now += cost
        return now - now % step

    return read


def test_a_fine_clock_shows_the_cost_of_a_reading() -> None:
    assert clock.describe(ticking(cost=40, step=1)) == {"granularity_ns": 40, "read_ns": 40}


def test_the_smallest_step_is_found_between_larger_ones() -> None:
    described = clock.describe(ticking(cost=33, step=10))

    assert described["granularity_ns"] == 30
    assert described["read_ns"] in (30, 40)


def test_a_clock_coarser_than_its_reading_is_read_until_it_moves() -> None:
    described = clock.describe(ticking(cost=50, step=1_000_000))

    assert described["granularity_ns"] == 1_000_000
    assert described["read_ns"] == pytest.approx(50, abs=4)


def test_a_clock_that_stands_still_is_no_clock() -> None:
    with pytest.raises(Failed, match="did not move"):
        clock.describe(lambda: 5)


def test_the_real_clock_is_described_well_within_50_ms() -> None:
    quickest = min(timed() for _ in range(5))

    assert quickest < 50e-3


def timed() -> float:
    start = time.perf_counter()
    clock.describe(time.perf_counter_ns)
    return time.perf_counter() - start
