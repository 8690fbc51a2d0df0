"""What the clock can see, and what looking costs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from sectax_probe.answers import Failed

# 2000 pairs take under 1 ms, 300,000 single readings under 40 ms: `hello` allows 50.
_PAIRS = 2_000
_SINGLE_READINGS = 300_000


def describe(clock: Callable[[], int]) -> dict[str, int]:
    """Measure *clock*, which gives nanoseconds.

    Returns:
        `granularity_ns`: the smallest step above zero between two readings in a row.
        `read_ns`: the median of those steps; where the clock is too coarse to see one reading, the mean
        cost of many.
    Raises:
        Failed: the clock stands still.
    """
    steps = sorted(_step(clock) for _ in range(_PAIRS))
    if steps[_PAIRS // 2] <= 0:
        return _describe_coarse(clock)
    return {"granularity_ns": next(step for step in steps if step > 0), "read_ns": steps[_PAIRS // 2]}


def _step(clock: Callable[[], int]) -> int:
    first = clock()
    second = clock()
    return second - first


def _describe_coarse(clock: Callable[[], int]) -> dict[str, int]:
    readings = [clock() for _ in range(_SINGLE_READINGS)]
    steps = {later - earlier for earlier, later in pairwise(readings)}
    steps = {step for step in steps if step > 0}
    if not steps:
        raise Failed(f"the clock did not move within {_SINGLE_READINGS} readings")
    return {"granularity_ns": min(steps), "read_ns": (readings[-1] - readings[0]) // _SINGLE_READINGS}
