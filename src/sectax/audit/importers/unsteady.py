"""What a tool tells of one run in pieces, in time order: where it goes, and whether it comes in two states.

Pieces that follow each other resemble each other, so the checks of independent single values do not fit. What is
asked for here leaves stationary noise alone: log-normal, of a spread up to 20 %, neighbours correlated up to 0.5.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from sectax.audit.evidence import Incident
from sectax.audit.words import number
from sectax.model.finding import Severity

# Fewer pieces show neither.
FEWEST = 10
# The first of so many pieces belong to an ordinary warm-up.
WARM_UP = 20
# The last third beside the first: the least change, and how many standard errors of it.
LEAST_CHANGE, STANDARD_ERRORS = 1.5, 4.5
# Far from the middle: so many times, in such a share of all pieces; checkpoints come more seldom.
APART, SHARE = 2.0, 0.1
FAR_APART, RARE = 4.0, 0.02
# Of a normal deviation, the median of absolute values.
_OF_NORMAL = 0.6745
# As little as this is any noise.
_LEAST_NOISE = 0.02
# A latency of so much of all the time since the beginning, in so many pieces: answers that wait for no end.
OF_THE_CLOCK, FEWEST_WAITING = 0.5, 3


def unsteady(what: str, values: Sequence[float], counts: Sequence[float] | None = None) -> Iterator[Incident]:
    """W drift and W modes of values in time order, zeros included.

    Args:
        what: they are, in words.
        counts: how many events each of them is of: few of them differ by chance.
    """
    positive = [each for each in values if each > 0]
    if len(values) < FEWEST or not positive:
        return
    # Nothing in a piece is far from everything, and no number.
    floor = median(positive) / 1000
    body = [max(each, floor) for each in values[max(1, len(values) // WARM_UP) :]]
    logs = [math.log(each) for each in body]
    noise = max(median(abs(two - one) for one, two in pairwise(logs)) / _OF_NORMAL, _LEAST_NOISE)
    third = len(logs) // 3
    change = median(logs[-third:]) - median(logs[:third])
    if abs(change) >= max(math.log(LEAST_CHANGE), STANDARD_ERRORS * noise * _of_medians(third)):
        early, late = (math.exp(median(part)) for part in (logs[:third], logs[-third:]))
        yield Incident(
            Severity.WARNING,
            f"{what}: {number(early)} in the first third of the reports, and {number(late)} in the last",
            "it was going somewhere: the printed mean is of no state of the system",
            "drift",
        )
    middle = median(body)
    of_all = counts[max(1, len(values) // WARM_UP) :] if counts is not None else None
    for share, apart in ((SHARE, APART), (RARE, FAR_APART)):
        factor = max(apart, math.exp(4 * noise))
        slow = [each for at, each in enumerate(body) if each < middle / factor and _no_chance(of_all, at, middle, each)]
        fast = [each for at, each in enumerate(body) if each > middle * factor and _no_chance(of_all, at, middle, each)]
        for far in (slow, fast):
            if max(2, math.ceil(share * len(body))) <= len(far):
                yield Incident(
                    Severity.WARNING,
                    f"{what}: {number(middle)} in the middle of the reports, and about "
                    f"{number(0.0 if median(far) <= floor else median(far))} in {len(far)} of {len(body)}",
                    "it was measured in more than one state: the printed mean is of none of them",
                    "modes",
                )
                return


def waiting(at_s: Sequence[float], latencies: Sequence[float]) -> Iterator[Incident]:
    """W drift where latencies grow with the clock: what waits is in none of them until it is done."""
    long = [(at, took) for at, took in zip(at_s, latencies, strict=True) if took >= OF_THE_CLOCK * at > 0]
    if len(long) < FEWEST_WAITING or 2 * len(long) < len(latencies) or long[-1][1] < 2 * long[0][1]:
        return
    yield Incident(
        Severity.WARNING,
        f"latencies rise with the clock, to {number(long[-1][1])} s after {number(long[-1][0])} s",
        "requests wait from the beginning, and those that are not done are in no figure: it is no steady state",
        "drift",
    )


def _of_medians(size: int) -> float:
    """The standard deviation of the difference of two medians of so many values with a correlation of 0.5."""
    inflation = 3 - 4 * (1 - 0.5**size) / size
    return 1.25 * math.sqrt(2 * inflation / size)


def _no_chance(counts: Sequence[float] | None, at: int, middle: float, value: float) -> bool:
    """Whether so few events would not be this far from the middle by chance."""
    if counts is None:
        return True
    usual = counts[at] * middle / value
    return abs(counts[at] - usual) > 4 * math.sqrt(max(usual, 1.0))
