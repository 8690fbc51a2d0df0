"""How long a fresh process needs until it is as fast as it gets, where a compiler works while it runs. Pure.

The batches that the pilot has of an operation last a tenth of a second together. What a JVM runs by then is 2 to 600
times slower than what it runs in the end, which it reaches after one to three seconds (docs/method-notes.md).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass

FIRST_STEP_S = 0.01
# A step that is faster than the fastest before it by less than this is as fast as that one.
LEAST_GAIN = 0.04
# Two such steps end it: one alone may have been interrupted, or wait for the compiler. A long one has many readings.
_ONE_IS_ENOUGH_S = 0.3
# Readings of a step, about: half of them say how fast it was, so that what interrupts one or two has no say.
_PARTS = 6
_GROWTH = 8


@dataclass(frozen=True)
class Warming:
    """Operations before a process is warm, and whether its end was seen."""

    operations: int = 0
    seconds: float = 0.0
    ended: bool = True


def warmed(read: Callable[[int], float], longest_s: float) -> Warming:
    """Work a fresh process in steps that last twice as long each, until they are no faster than the one before them.

    An operation of an interpreter or of machine code has no warm-up: its first three steps are equally fast.

    Args:
        read: runs so many operations, and gives their seconds.
        longest_s: seconds of work after which it ends at the latest.
    """
    count, fastest_s, done, spent_s, step_s = 1, math.inf, 0, 0.0, FIRST_STEP_S
    flat: list[Warming] = []
    while spent_s < longest_s:
        costs: list[float] = []
        lasted_s, operations = 0.0, 0
        while lasted_s < step_s:
            seconds = max(read(count), 1e-9)
            costs.append(seconds / count)
            lasted_s, operations = lasted_s + seconds, operations + count
            count = max(1, min(round(step_s / _PARTS / costs[-1]), count * _GROWTH))
        cost_s = statistics.median(costs[len(costs) // 2 :])
        if cost_s < fastest_s * (1 - LEAST_GAIN):
            flat, fastest_s = [Warming(done, spent_s)], cost_s
        else:
            flat.append(Warming(done, spent_s))
        if len(flat) > 1 and (len(flat) > 2 or spent_s > _ONE_IS_ENOUGH_S):
            # Within the first of them it still became faster, unless that is the first of all.
            return flat[1] if flat[0].operations else flat[0]
        done, spent_s, step_s = done + operations, spent_s + lasted_s, 2 * step_s
    return Warming(done, spent_s, ended=not longest_s)
