"""Checks of reported times, against sectax's clock and each other."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from sectax.experiments.on_probe.checks import Check, CheckFailed, NotApplicable
from sectax.experiments.on_probe.conversation import Conversation, ProbeProgram

# Long enough to detect a doubling in noise.
_GROWING_S = 0.010
# Long enough that the overhead of a request is negligible.
LONG_S = 0.050
# The first of two may load, compile or be interrupted.
_TWICE = 2
# Limits of batches for probes with inconsistent times: seconds by sectax's clock, multiple of the aim, and share of the
# deadline, since the next batches may be eight times as long.
_WALL_LIMIT_S = 0.5
_FAR_ABOVE = 20
_PATIENCE_SHARE = 1 / 16
_MOST_OPERATIONS = 2**33
REPEATS = 3
_ATTEMPTS = 3
_PATIENT = 20
_DOUBLED = (1.5, 2.7)
_TOLERANCE = 1.01
_TOLERANCE_S = 20e-6
# The minimum share of a batch of 50 ms in its exchange.
_LEAST_SHARE = 0.5
# In shorter exchanges the messages take as much time.
_SHORTEST_JUDGED_S = 0.005

_SINGLES = 2000
_SHORT_BATCHES = 30
_SHORT_S = 0.001
COARSEST_S = 0.010
# A claim is wrong only if it is off by more than this factor.
_MUCH = 5


@dataclass(frozen=True)
class Batches:
    """A number of operations and the minimum of their measured seconds."""

    count: int
    seconds: float

    @property
    def per_operation_s(self) -> float:
        return self.seconds / self.count


def size_batch(conversation: Conversation, aim_s: float) -> Batches:
    """Grow a batch to about *aim_s* by the probe's clock."""
    count = 1
    while True:
        seconds = wall_s = math.inf
        for _ in range(_TWICE):
            seconds = min(seconds, conversation.measure(count).elapsed_ns[0] * 1e-9)
            wall_s = min(wall_s, conversation.wall_s)
        if seconds >= aim_s or wall_s >= _wall_limit(conversation, aim_s) or count >= _MOST_OPERATIONS:
            return Batches(count, seconds)
        # In steps, since one-time costs dominate the first batches.
        count *= min(4, max(2, math.ceil(aim_s / seconds))) if seconds else 4


def _wall_limit(conversation: Conversation, aim_s: float) -> float:
    """Return the seconds by sectax's clock after which batches no longer grow."""
    return min(_WALL_LIMIT_S, _FAR_ABOVE * aim_s, conversation.deadline_s * _PATIENCE_SHARE)


def count_scales(conversation: Conversation, count: int, repeats: int = REPEATS) -> str:
    """Check that twice the operations take twice the time (no dead code)."""
    for _ in range(_ATTEMPTS):
        ratio = _ratio_of_doubled(conversation, count, repeats)
        if _DOUBLED[0] <= ratio <= _DOUBLED[1]:
            return f"twice the operations take {ratio:.2f} times as long ({count} operations)"
        if conversation.wall_s < _wall_limit(conversation, _GROWING_S) and count < _MOST_OPERATIONS:
            count *= 2
    # On a busy machine a long batch is always disturbed; some of many short ones are not.
    count = size_batch(conversation, _SHORT_S).count
    ratio = _ratio_of_doubled(conversation, count, _SHORT_BATCHES)
    if _DOUBLED[0] <= ratio <= _DOUBLED[1]:
        return f"twice the operations take {ratio:.2f} times as long ({count} operations)"
    raise CheckFailed(f"twice the operations take {ratio:.2f} times as long ({count} operations)")


def _ratio_of_doubled(conversation: Conversation, count: int, repeats: int) -> float:
    """Return the time of *2·count* operations over that of *count*, measured in turns.

    Uses the minimum of each, which is robust to load. If they are not as 1 to 2, uses the sums, since some operations
    take random time: ML-DSA retries until a signature is not rejected.
    """
    singles, doubles = [], []
    for _ in range(repeats):
        singles.append(conversation.measure(count).elapsed_ns[0])
        doubles.append(conversation.measure(2 * count).elapsed_ns[0])
    if not min(singles):
        return math.inf
    least = min(doubles) / min(singles)
    return least if _DOUBLED[0] <= least <= _DOUBLED[1] else sum(doubles) / sum(singles)


def elapsed_plausible(conversation: Conversation, count: int) -> str:
    """Check that a long batch's reported time is below sectax's time, and most of it."""
    best = 0.0
    # On a busy machine an exchange waits before and after the batch; some of many do not.
    for _ in range(_PATIENT):
        reported_s = conversation.measure(count).elapsed_ns[0] * 1e-9
        wall_s = conversation.wall_s
        if reported_s > wall_s * _TOLERANCE + _TOLERANCE_S:
            raise CheckFailed(f"it reported {reported_s:.4g} s, sectax's clock counted {wall_s:.4g} s")
        best = max(best, reported_s / wall_s)
        if best >= _LEAST_SHARE:
            break
    if wall_s < _SHORTEST_JUDGED_S:
        raise NotApplicable(f"{count} operations take only {wall_s:.2g} s: see count-scales")
    if best < _LEAST_SHARE:
        raise CheckFailed(f"it reported only {best:.3%} of sectax's time, in batches of {wall_s:.2g} s")
    return f"it reported {best:.1%} of sectax's time ({count} operations)"


def _clock_plausible(program: ProbeProgram) -> str:
    with program.start() as conversation:
        clock = conversation.hello().clock
        conversation.prepare("empty", {}, {})
        granularity_s, read_s = clock.granularity_ns * 1e-9, clock.read_ns * 1e-9
        if granularity_s > COARSEST_S:
            raise CheckFailed(f"a clock with steps of {granularity_s:.3g} s cannot time a batch of 20 ms")
        conversation.measure(_SINGLES, each=True)  # compile and allocate
        singles = conversation.measure(_SINGLES, each=True).elapsed_ns
        # Each timing needs at least one reading.
        if read_s * _SINGLES > conversation.wall_s:
            actual_ns = conversation.wall_s / _SINGLES * 1e9
            raise CheckFailed(f"read_ns is {clock.read_ns} ns, but a reading took at most {actual_ns:.0f} ns")
        smallest = min((single for single in singles if single), default=clock.granularity_ns)
        if smallest * _MUCH < clock.granularity_ns:
            raise CheckFailed(f"granularity_ns is {clock.granularity_ns} ns, but it reported {smallest} ns")
        step = _common_step(conversation)
        if step > _MUCH * clock.granularity_ns:
            raise CheckFailed(f"granularity_ns is {clock.granularity_ns} ns, but all times are multiples of {step}")
    return f"steps of {clock.granularity_ns} ns, {clock.read_ns} ns per reading"


def _common_step(conversation: Conversation) -> int:
    """Return the clock's real step: the common divisor of batch times."""
    count = size_batch(conversation, _SHORT_S).count
    lengths = random.Random(1)
    while True:
        step = math.gcd(
            *(conversation.measure(lengths.randint(count, 2 * count)).elapsed_ns[0] for _ in range(_SHORT_BATCHES))
        )
        # On a busy machine a delay may have sized the batch, so that later ones take no time.
        if step or conversation.wall_s >= _wall_limit(conversation, _SHORT_S):
            return step
        count *= 4


def _check_empty(check: Callable[[Conversation, int], str], aim_s: float, program: ProbeProgram) -> str:
    with program.start_operation("empty", {}, {}) as conversation:
        return check(conversation, size_batch(conversation, aim_s).count)


# If the unit is wrong, no other check of times can be judged, and all batches have wrong sizes.
UNIT = "elapsed-plausible"
TIMED = frozenset(
    {
        UNIT,
        "clock-plausible",
        "count-scales",
        "costs-more-than-empty",
        "cpu-plausible",
        "cpu-without-settling",
        "cpu-stands-still",
    }
)

SCALES_HINT = "use every result, so that no compiler may drop the work; start and read the clock around the whole loop"
PLAUSIBLE_HINT = "report integer nanoseconds of a monotonic clock, read right before and right after the operations"

CLOCK = (
    Check(UNIT, partial(_check_empty, elapsed_plausible, LONG_S), PLAUSIBLE_HINT),
    Check(
        "clock-plausible", _clock_plausible, "measure granularity_ns and read_ns on the clock that times the batches"
    ),
    Check("count-scales", partial(_check_empty, count_scales, _GROWING_S), SCALES_HINT),
)
