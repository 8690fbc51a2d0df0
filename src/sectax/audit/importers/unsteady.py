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
from sectax.audit.rounding import copied_run
from sectax.audit.words import number
from sectax.model.finding import Severity

# Fewer pieces show neither.
FEWEST = 10
# The first of so many pieces belong to an ordinary warm-up.
WARM_UP = 20
# Unlike pieces that only rise or only fall: by chance one of 20,000 such runs. How far they come at the least.
FEWEST_IN_ORDER, LEAST_IN_ORDER = 8, 1.1
# The first piece beside those from the third on: how many times the whole width of these it is from their middle.
BEGINNING, WIDTHS = 2, 4.0
# A stretch beside all the others: the least change, how many standard errors of it for independent pieces (with a
# correlation of 0.5, one healthy run in a thousand reaches 8), and of how much of a run and how many pieces it is.
LEAST_CHANGE, STANDARD_ERRORS = 1.2, 8.0
STRETCH, FEWEST_OF_A_STRETCH = 0.1, 3
# No piece counts for more standard deviations than these, nor does a stretch begin within more than so many of them.
_FARTHEST, _MOST_PIECES = 6.0, 300
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
    """W drift, W modes or W first-trial of values in time order, zeros included.

    Args:
        what: they are, in words.
        counts: how many events each of them is of: few of them differ by chance.
    """
    positive = [each for each in values if each > 0]
    if len(set(positive)) >= FEWEST_IN_ORDER and positive == list(values) and _in_order(values):
        yield Incident(
            Severity.WARNING,
            f"{what}: from {number(values[0])} to {number(values[-1])} in {len(values)} reports, in one direction all "
            "the way",
            "it was going somewhere until it ended: the printed mean is of no steady state",
            "drift",
        )
        return
    yield from _beginning(what, values, counts)
    if len(values) < FEWEST or not positive:
        return
    # Nothing in a piece is far from everything, and no number.
    floor = median(positive) / 1000
    body = [max(each, floor) for each in values[max(1, len(values) // WARM_UP) :]]
    logs = [math.log(each) for each in body]
    if (stretch := _stretch(logs)) is not None:
        of_it, others = logs[stretch], logs[: stretch.start] + logs[stretch.stop :]
        begins = len(values) - len(body) + stretch.start
        yield Incident(
            Severity.WARNING,
            f"{what}: about {number(math.exp(median(of_it)))} in reports {begins + 1} to {begins + len(of_it)} of "
            f"{len(values)}, and {number(math.exp(median(others)))} in the others",
            "it was going somewhere, or was in more than one state: the printed mean is of none of them",
            "modes" if stretch.start > 0 and stretch.stop < len(logs) else "drift",
        )
        return
    noise = max(median(abs(two - one) for one, two in pairwise(logs)) / _OF_NORMAL, _LEAST_NOISE)
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


def _in_order(values: Sequence[float]) -> bool:
    """Whether they only rise or only fall, and come far."""
    steps = [two - one for one, two in pairwise(values)]
    return (min(steps) >= 0 or max(steps) <= 0) and max(values) >= LEAST_IN_ORDER * min(values)


def _beginning(what: str, values: Sequence[float], counts: Sequence[float] | None) -> Iterator[Incident]:
    """W first-trial of a first report that is a good part of the run and far from all but the second."""
    others = values[BEGINNING:]
    if not FEWEST_IN_ORDER <= len(values) <= WARM_UP or min(others) <= 0:
        return
    first, middle = max(values[0], median(others) / 1000), median(others)
    far = abs(math.log(first / middle))
    if far >= max(math.log(LEAST_CHANGE), WIDTHS * math.log(max(others) / min(others))) and _no_chance(
        counts, 0, middle, first
    ):
        yield Incident(
            Severity.WARNING,
            f"{what}: {number(values[0])} in the first of {len(values)} reports, and about {number(middle)} later",
            "the beginning is in the printed mean: let it run for a while before the part that counts",
            "first-trial",
        )


def copied(what: str, values: Sequence[float]) -> Iterator[Incident]:
    """F of values in a row that come a second time."""
    run = copied_run(values)
    if run is not None:
        yield Incident(
            Severity.FATAL,
            f"{run.length} {what} in a row, from report {run.first + 1} on, come a second time from report "
            f"{run.again + 1} on",
            "they were not measured twice: lines were copied",
            "copied-data",
        )


def _stretch(logs: Sequence[float]) -> slice | None:
    """The pieces in a row that differ most from all others, where that is no chance and matters."""
    import numpy as np

    together = math.ceil(len(logs) / _MOST_PIECES)
    count = len(logs) // together
    pieces = np.asarray(logs[: count * together], dtype=np.float64).reshape(count, together).mean(axis=1)
    noise = max(float(np.median(np.abs(np.diff(pieces)))) / _OF_NORMAL, _LEAST_NOISE)
    sums = np.cumsum(np.concatenate([[0.0], np.clip((pieces - np.median(pieces)) / noise, -_FARTHEST, _FARTHEST)]))
    best, found = STANDARD_ERRORS, None
    least = max(FEWEST_OF_A_STRETCH, math.ceil(STRETCH * count))
    for length in range(least, count - least + 1):
        inside = sums[length:] - sums[:-length]
        apart = np.abs(inside / length - (sums[-1] - inside) / (count - length))
        errors = apart * math.sqrt(length * (count - length) / count)
        at = int(np.argmax(errors))
        if errors[at] >= best:
            best, found = float(errors[at]), slice(at * together, (at + length) * together)
    if found is None:
        return None
    change = median(logs[found]) - median([*logs[: found.start], *logs[found.stop :]])
    return found if abs(change) >= math.log(LEAST_CHANGE) else None


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


def _no_chance(counts: Sequence[float] | None, at: int, middle: float, value: float) -> bool:
    """Whether so few events would not be this far from the middle by chance."""
    if counts is None:
        return True
    usual = counts[at] * middle / value
    return abs(counts[at] - usual) > 4 * math.sqrt(max(usual, 1.0))
