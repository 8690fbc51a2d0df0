"""Warm-up of a process with a JIT compiler, measured until it gets no faster.

The pilot's batches last 0.1 s together. A JVM is then 2 to 600 times slower than at its plateau, which it reaches
after one to three seconds (docs/method-notes.md).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass

FIRST_STEP_S = 0.01
_LONG_S = 0.5
# A step must be faster than the fastest before it by this share to count as faster.
LEAST_GAIN = 0.04
# Three steps without gain end the warm-up, since one may have been interrupted; after this time two are enough.
_TWO_ARE_ENOUGH_S = 0.3
# Readings per step, about. The median of the second half is robust against interruptions.
_PARTS = 6
# A step ends if less than this remains, which is shorter than most operations.
_NEARLY = 0.999
# Steps after the unjudged time are at most a quarter of it.
_STEPS = 4
_GROWTH = 8


@dataclass(frozen=True)
class Warming:
    """Operations and seconds until a process is warm, and whether it got there."""

    operations: int = 0
    seconds: float = 0.0
    ended: bool = True

    @property
    def is_long(self) -> bool:
        """Whether warming a second process would cost more than it is worth."""
        return self.seconds > _LONG_S


def run_until_warm(read: Callable[[int], float], longest_s: float, least_s: float = 0.0) -> Warming:
    """Run a fresh process in steps of doubling length until they get no faster.

    Args:
        read: runs a number of operations and returns their seconds.
        longest_s: maximum seconds of work.
        least_s: seconds before which nothing is concluded. A JVM shows a false plateau with P-256: it is as slow after
            0.2 s as after 0.05 s, until large methods are compiled, and three times faster after 2 s.
    """
    count, fastest_s, done, spent_s, step_s = 1, math.inf, 0, 0.0, FIRST_STEP_S
    flat: list[Warming] = []
    while spent_s < longest_s:
        costs: list[float] = []
        lasted_s, operations = 0.0, 0
        if least_s:
            step_s = min(step_s, least_s - spent_s if spent_s < least_s else least_s / _STEPS)
        while lasted_s < step_s * _NEARLY:
            seconds = max(read(count), 1e-9)
            costs.append(seconds / count)
            lasted_s, operations = lasted_s + seconds, operations + count
            count = max(1, min(round(step_s / _PARTS / costs[-1]), count * _GROWTH))
        cost_s = statistics.median(costs[len(costs) // 2 :])
        if cost_s < fastest_s * (1 - LEAST_GAIN):
            flat, fastest_s = [Warming(done, spent_s)], cost_s
        else:
            flat.append(Warming(done, spent_s))
        if len(flat) > 1 and (len(flat) > 2 or spent_s > _TWO_ARE_ENOUGH_S) and spent_s >= least_s * _NEARLY:
            # The process still got faster within the first of these steps, unless that is the very first step.
            late = [step for step in flat if step.seconds >= least_s * _NEARLY] if least_s else flat
            return late[1] if len(late) > 1 and late[0] is flat[0] and flat[0].operations else late[0]
        done, spent_s, step_s = done + operations, spent_s + lasted_s, 2 * step_s
    return Warming(done, spent_s, ended=not longest_s)
