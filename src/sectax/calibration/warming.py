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
_LONG_S = 0.5
# A step that is faster than the fastest before it by less than this is as fast as that one.
LEAST_GAIN = 0.04
# Two such steps end it: one alone may have been interrupted, or wait for the compiler. A long one has many readings.
_ONE_IS_ENOUGH_S = 0.3
# Readings of a step, about: half of them say how fast it was, so that what interrupts one or two has no say.
_PARTS = 6
# A step ends where what is left of it is shorter than most operations.
_NEARLY = 0.999
# Of the time that is not judged, a step after it has this part.
_STEPS = 4
_GROWTH = 8


@dataclass(frozen=True)
class Warming:
    """Operations before a process is warm, and whether its end was seen."""

    operations: int = 0
    seconds: float = 0.0
    ended: bool = True

    @property
    def is_long(self) -> bool:
        """Whether one process says enough: a second one would cost the run more than it tells."""
        return self.seconds > _LONG_S


def warmed(read: Callable[[int], float], longest_s: float, least_s: float = 0.0) -> Warming:
    """Work a fresh process in steps that last twice as long each, until they are no faster than the one before them.

    An operation of an interpreter or of machine code has no warm-up: its first three steps are equally fast.

    Args:
        read: runs so many operations, and gives their seconds.
        longest_s: seconds of work after which it ends at the latest.
        least_s: seconds before which nothing is concluded. With P-256 a JVM is as slow at 0.2 s of work as at 0.05,
            until its compiler is done with large methods, and three times faster at 2 s.
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
        if len(flat) > 1 and (len(flat) > 2 or spent_s > _ONE_IS_ENOUGH_S) and spent_s >= least_s * _NEARLY:
            # Within the first of them it still became faster, unless that is the first of all.
            late = [step for step in flat if step.seconds >= least_s * _NEARLY] if least_s else flat
            return late[1] if len(late) > 1 and late[0] is flat[0] and flat[0].operations else late[0]
        done, spent_s, step_s = done + operations, spent_s + lasted_s, 2 * step_s
    return Warming(done, spent_s, ended=not longest_s)
