"""Can the times that the program reports be believed? They are held against sectax's clock and against themselves."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from sectax.experiments.on_probe.checks import Check, CheckFailed, NotApplicable
from sectax.experiments.on_probe.conversation import Conversation, ProbeProgram

# Batches long enough that a doubling is seen through noise.
_GROWING_S = 0.010
# Batches beside which reading a request and writing a reply are nothing.
LONG_S = 0.050
# The first of two may load, compile or be interrupted.
_TWICE = 2
# A probe whose times do not add up is not asked for ever longer batches: at most so many seconds by sectax's clock,
# so many times the aim, and so small a part of the patience, since the next batches may be eight times as long.
_WALL_LIMIT_S = 0.5
_FAR_ABOVE = 20
_OF_PATIENCE = 1 / 16
_MOST_OPERATIONS = 2**33
REPEATS = 3
_ATTEMPTS = 3
_PATIENT = 20
_DOUBLED = (1.5, 2.7)
_TOLERANCE = 1.01
_TOLERANCE_S = 20e-6
# The share of an exchange that a batch of 50 ms must fill.
_LEAST_SHARE = 0.5
# In a shorter exchange the messages themselves weigh as much.
_SHORTEST_JUDGED_S = 0.005

_SINGLES = 2000
_SHORT_BATCHES = 30
_SHORT_S = 0.001
COARSEST_S = 0.010
# A claim is held false only where it is off by more than this.
_MUCH = 5


@dataclass(frozen=True)
class Batches:
    """A number of operations, and the least seconds that they were seen to take."""

    count: int
    seconds: float

    @property
    def per_operation_s(self) -> float:
        return self.seconds / self.count


def size_batch(interview: Conversation, aim_s: float) -> Batches:
    """Grow a batch of what is prepared until it lasts about *aim_s*, by the probe's clock or at length by sectax's."""
    count = 1
    while True:
        seconds = wall_s = math.inf
        for _ in range(_TWICE):
            seconds = min(seconds, interview.measure(count).elapsed_ns[0] * 1e-9)
            wall_s = min(wall_s, interview.wall_s)
        if seconds >= aim_s or wall_s >= _wall_limit(interview, aim_s) or count >= _MOST_OPERATIONS:
            return Batches(count, seconds)
        # The first batches are dominated by what happens once, so the aim is approached in steps.
        count *= min(4, max(2, math.ceil(aim_s / seconds))) if seconds else 4


def _wall_limit(interview: Conversation, aim_s: float) -> float:
    """Seconds by sectax's clock past which no longer batches are tried: the times that are reported do not add up."""
    return min(_WALL_LIMIT_S, _FAR_ABOVE * aim_s, interview.deadline_s * _OF_PATIENCE)


def count_scales(interview: Conversation, count: int, repeats: int = REPEATS) -> str:
    """Twice the operations take about twice the time; else nothing is done per operation (dead code)."""
    for _ in range(_ATTEMPTS):
        ratio = _ratio_of_doubled(interview, count, repeats)
        if _DOUBLED[0] <= ratio <= _DOUBLED[1]:
            return f"twice the operations take {ratio:.2f} times as long ({count} operations)"
        if interview.wall_s < _wall_limit(interview, _GROWING_S) and count < _MOST_OPERATIONS:
            count *= 2
    # Beside other work a batch as long as this is never left alone; among many short ones some are.
    count = size_batch(interview, _SHORT_S).count
    ratio = _ratio_of_doubled(interview, count, _SHORT_BATCHES)
    if _DOUBLED[0] <= ratio <= _DOUBLED[1]:
        return f"twice the operations take {ratio:.2f} times as long ({count} operations)"
    raise CheckFailed(f"twice the operations take {ratio:.2f} times as long ({count} operations)")


def _ratio_of_doubled(interview: Conversation, count: int, repeats: int) -> float:
    """The time of *2·count* operations over that of *count*, both measured by turns.

    The least of each, which a load seldom reaches; where these are not as 1 to 2 their sums, since an operation may
    take as long as chance has it: ML-DSA signs until no signature is rejected, and a few may need one try each.
    """
    singles, doubles = [], []
    for _ in range(repeats):
        singles.append(interview.measure(count).elapsed_ns[0])
        doubles.append(interview.measure(2 * count).elapsed_ns[0])
    if not min(singles):
        return math.inf
    least = min(doubles) / min(singles)
    return least if _DOUBLED[0] <= least <= _DOUBLED[1] else sum(doubles) / sum(singles)


def elapsed_plausible(interview: Conversation, count: int) -> str:
    """What is reported of a long batch fits into what sectax saw, and nearly fills it."""
    best = 0.0
    # Beside other work an exchange waits before the batch and after it: among many some do not.
    for _ in range(_PATIENT):
        reported_s = interview.measure(count).elapsed_ns[0] * 1e-9
        wall_s = interview.wall_s
        if reported_s > wall_s * _TOLERANCE + _TOLERANCE_S:
            raise CheckFailed(f"{reported_s:.4g} s were reported for what took {wall_s:.4g} s by sectax's clock")
        best = max(best, reported_s / wall_s)
        if best >= _LEAST_SHARE:
            break
    if wall_s < _SHORTEST_JUDGED_S:
        raise NotApplicable(f"{count} operations last only {wall_s:.2g} s: see count-scales")
    if best < _LEAST_SHARE:
        raise CheckFailed(f"only {best:.3%} of the time that sectax saw were reported, in batches of {wall_s:.2g} s")
    return f"{best:.1%} of the time that sectax saw are reported ({count} operations)"


def _clock_plausible(program: ProbeProgram) -> str:
    with program.start() as interview:
        clock = interview.hello().clock
        interview.prepare("empty", {}, {})
        granularity_s, read_s = clock.granularity_ns * 1e-9, clock.read_ns * 1e-9
        if granularity_s > COARSEST_S:
            raise CheckFailed(f"a clock with steps of {granularity_s:.3g} s cannot time a batch of 20 ms")
        interview.measure(_SINGLES, each=True)  # whatever is compiled or allocated on first use
        singles = interview.measure(_SINGLES, each=True).elapsed_ns
        # Every timing needs a reading of its own at least.
        if read_s * _SINGLES > interview.wall_s:
            seen_s = interview.wall_s / _SINGLES
            raise CheckFailed(
                f"a reading is said to cost {clock.read_ns} ns, and {seen_s * 1e9:.0f} ns were enough for it"
            )
        smallest = min((single for single in singles if single), default=clock.granularity_ns)
        if smallest * _MUCH < clock.granularity_ns:
            raise CheckFailed(
                f"the smallest step is said to be {clock.granularity_ns} ns, and {smallest} ns were reported"
            )
        step = _common_step(interview)
        if step > _MUCH * clock.granularity_ns:
            raise CheckFailed(
                f"the smallest step is said to be {clock.granularity_ns} ns, and all times are multiples of {step}"
            )
    return f"steps of {clock.granularity_ns} ns, {clock.read_ns} ns a reading"


def _common_step(interview: Conversation) -> int:
    """What divides the times of batches of many lengths, in nanoseconds: the step of the clock behind them."""
    count = size_batch(interview, _SHORT_S).count
    lengths = random.Random(1)
    while True:
        step = math.gcd(
            *(interview.measure(lengths.randint(count, 2 * count)).elapsed_ns[0] for _ in range(_SHORT_BATCHES))
        )
        # Beside other work a batch may be sized by a wait that later ones do not have; all of them then take no time.
        if step or interview.wall_s >= _wall_limit(interview, _SHORT_S):
            return step
        count *= 4


def _of_empty(check: Callable[[Conversation, int], str], aim_s: float, program: ProbeProgram) -> str:
    with program.start_operation("empty", {}, {}) as interview:
        return check(interview, size_batch(interview, aim_s).count)


# Where the unit is wrong, nothing else can be said of any time, and all batches are sized wrongly.
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
    Check(UNIT, partial(_of_empty, elapsed_plausible, LONG_S), PLAUSIBLE_HINT),
    Check(
        "clock-plausible", _clock_plausible, "measure granularity_ns and read_ns on the clock that times the batches"
    ),
    Check("count-scales", partial(_of_empty, count_scales, _GROWING_S), SCALES_HINT),
)
