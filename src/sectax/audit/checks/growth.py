"""Larger bodies take longer, and a whole takes longer than its part."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from sectax.audit.checks.groups import Worst, about, ids, rows, unknown, worst
from sectax.audit.checks.interface import Remark, cannot_be_checked, check
from sectax.audit.checks.words import bandwidth, duration, named, number
from sectax.audit.form import Evidence, Moves, Quantity, Series
from sectax.model.finding import Severity
from sectax.model.plan import FIRST_LOOK
from sectax.text import units

# Two figures of few trials for the same work differ by less than this factor; a cold trial may differ by more.
CLEARLY_FASTER = 0.5
# Of a sectax run, the chances of a false alarm: for a time that grows just enough, and for a whole as long as its part.
CHANCE = 0.005
READ_IT = "check that the whole body arrives, and that its last byte changes the result"


def _containing(evidence: Evidence) -> list[Series]:
    wholes = [series for series in evidence.speeds if series.work.contains and operation_time(series) > 0]
    return [whole for whole in wholes if not evidence.is_run or _parts(whole, evidence)]


@check(
    "F: an operation takes less than half the time of another that it contains (in a sectax run, less by the margin, "
    "beyond the interval over the blocks); W: the same where the other may wait",
    sees=_containing,
    runs=True,
)
def contained_work(evidence: Evidence) -> Iterator[Remark]:
    relevant = _containing(evidence)
    pairs = [(whole, part) for whole in relevant for part in _parts(whole, evidence)]
    alone = [whole for whole in relevant if whole not in dict(pairs)]
    yield from unknown(alone, "the operation that it contains was not measured")

    most = -math.log1p(evidence.margin) if evidence.is_run else math.log(CLEARLY_FASTER)
    faults: Worst = {}
    for whole, part in pairs:
        low, high = _log_ratio(whole, part, CHANCE / len(pairs))
        if high < most and part.work.waits:
            times = f"{number(math.exp(-high))} to {number(math.exp(-low))} times as long"
            saw, meaning = f"takes {times} as {whole.work.operation}, which does more", "it waits for something else"
            yield about(Severity.WARNING, [part], saw, meaning, part.work.waits)
        elif high < most:
            less = f"takes {units.span(-100 * math.expm1(high), -100 * math.expm1(low))} % less time"
            faster = less if evidence.is_run else f"is {number(math.exp(-high))} times as fast"
            times = f"{whole.id}: {duration(operation_time(whole))}; {part.id}: {duration(operation_time(part))}"
            # A baseline also serves other comparisons, so the treatment is accused.
            accused = part if whole.is_baseline and not part.is_baseline else whole
            operation = whole.work.operation or "the operation"
            faults[accused] = -high, f"{operation} contains {part.work.operation}, but {faster} ({times})"
    meaning = "the work was not done, or differs: the figures do not show its cost"
    advice = "find out what one of them skips, or does in addition: read the whole answer and check it"
    yield from worst(Severity.FATAL, faults, meaning, advice)


def _parts(whole: Series, evidence: Evidence) -> list[Series]:
    """Return the measured operations that it contains, the next one first."""
    parts = [
        part
        for operation in whole.work.contains or ()
        for part in evidence.speeds
        if part.work.operation == operation and operation_time(part) > 0 and _is_comparable(whole, part)
    ]
    # Of published numbers the whole must exceed the fastest figure of its part.
    return parts if evidence.is_run or not parts else [min(parts, key=operation_time)]


def _is_comparable(whole: Series, part: Series) -> bool:
    """Whether both differ only in the operation's name."""
    statistics = [tuple(claim.statistic for claim in series.claims) for series in (whole, part)]
    return (part.metric, part.quantity, statistics[1]) == (whole.metric, whole.quantity, statistics[0]) and all(
        whole.levels[factor] == part.levels[factor]
        for factor in whole.levels.keys() & part.levels.keys()
        if part.levels[factor] != part.work.operation
    )


def _log_ratio(whole: Series, part: Series, alpha: float) -> tuple[float, float]:
    """Return the interval of the log of their times' ratio; of published numbers, both limits are the ratio."""
    if not whole.blocks:
        return (math.log(operation_time(whole) / operation_time(part)),) * 2
    of_whole, of_part = whole.block_seconds, part.block_seconds
    return interval([math.log(of_whole[block] / of_part[block]) for block in of_whole if block in of_part], alpha)


def interval(differences: Sequence[float], alpha: float, whole: float = 1.0) -> tuple[float, float]:
    """Return the interval of the mean difference, valid after every block.

    It is guarded as the verdicts are: a claim against a run must survive the same modes of processes.

    Args:
        differences: in the order of the blocks.
        alpha: the chance that it misses the mean.
        whole: the unit of the differences; 1 for logs.
    Returns:
        Its limits; infinite with too few blocks, or where no value agrees with all of them.
    """
    import numpy as np

    from sectax.stats.confidence_sequence import UNSEEN, running_sequence

    if len(differences) < FIRST_LOOK:
        return -np.inf, np.inf
    rows = np.array([differences], dtype=np.float64)
    sequence = running_sequence(rows, alpha, first_look=FIRST_LOOK, unseen=UNSEEN * whole)
    low, high = float(sequence.low[0, -1]), float(sequence.high[0, -1])
    return (low, high) if low <= high else (-np.inf, np.inf)


# No memory of one machine moves more bytes per second (two sockets with twelve channels of DDR5: 0.92e12): the limit
# where the bandwidth was not measured.
NO_MACHINE_BYTES_S = 1e12
# The same for one request to a service: the fastest Ethernet has 800 Gbit/s. In a harness with calibrated loops such a
# name may be a call within the process.
NO_LINK_BYTES_S = 1e11
_REQUEST = re.compile(r"(?i)(?:get|put|upload|download)(?:$|[\W_])")
# No core encrypts or hashes half as fast outside its caches.
NO_CORE_BYTES_S = 1e11
_WORKED_ON = re.compile(r"(?i)(?:encrypt|decrypt|hash)(?:$|[\W_])")
# Growth below this share of what the bandwidth requires is too little, even with noise in both figures.
LEAST_GROWTH = 0.5
# A difference below this share of the smaller figure may be noise: with two sizes, and with three that agree.
LEAST_SHOWN, LEAST_AGREED = 0.25, 0.1


def link_bandwidth(series: Series) -> float:
    """Return the upper limit of the bandwidth, in bytes per second."""
    limit = NO_LINK_BYTES_S if _is_called(series, _REQUEST) else NO_MACHINE_BYTES_S
    return series.work.link_bytes_s or limit


def _is_called(series: Series, names: re.Pattern[str]) -> bool:
    """Whether the operation has such a name and its loop was not calibrated."""
    named = names.match(series.work.operation or "")
    return series.quantity is Quantity.TIME and not series.work.calibrated and named is not None


def operation_time(series: Series) -> float:
    """Return the time of one operation in seconds; 0 where unknown."""
    return series.seconds_per_operation() or 0.0


def _relevant(evidence: Evidence) -> list[Series]:
    """Return the series that move, or may move, a body of a known size; of a sectax run, of two sizes or more."""
    every = [
        series
        for series in evidence.speeds
        if series.work.moves is not Moves.METADATA and _size(series) > 0 and operation_time(series) > 0
    ]
    return [series for group in _by_size(every) for series in group] if evidence.is_run else every


def _by_size(every: list[Series]) -> list[list[Series]]:
    return list(rows((series for series in every if series.work.moves is Moves.BODY), _size))


@check(
    "F: time grows by less than half of what the bandwidth requires for the bytes (in a sectax run, by less than all "
    "of it, beyond the interval over the blocks)",
    sees=_relevant,
    runs=True,
)
def flat_with_size(evidence: Evidence) -> Iterator[Remark]:
    relevant = _relevant(evidence)
    groups = _by_size(relevant)
    spanned = set(ids(series for group in groups for series in group))
    unsaid = [series for series in relevant if series.work.moves is None]
    yield from unknown(unsaid, "whether the operation moves a body or only metadata is not reported")
    unclear: list[Series] = []
    flat: Worst = {}
    for group in groups:
        is_flat, takes = _over_blocks(group, evidence, CHANCE / len(groups)) if evidence.is_run else _flat(group)
        if is_flat:
            growth = (operation_time(group[-1]) - operation_time(group[0])) / _needed(group)
            flat |= dict.fromkeys(group, (-growth, _flat_in_words(group, takes)))
        elif is_flat is None:
            unclear += group[-1:] if evidence.is_run else group
    missing = "the times do not show whether the body was moved: these bytes take too little time"
    advice = "add a size that takes far longer to move; in a run, use more blocks"
    if evidence.is_run and len(unclear) > 1:
        yield cannot_be_checked("run", f"{missing} ({named((series.id for series in unclear), 1)})", advice)
    else:
        yield from unknown(unclear, missing, advice)
    alone = [series for series in relevant if series.work.moves is Moves.BODY and not set(ids([series])) <= spanned]
    yield from unknown(alone, "growth needs two sizes", "measure a second, much larger size")
    meaning = "the body was not moved or processed: something other than the operation was measured"
    yield from worst(Severity.FATAL, flat, meaning, READ_IT)


def _over_blocks(group: Sequence[Series], evidence: Evidence, alpha: float) -> tuple[bool | None, str]:
    """Whether the largest size takes too little more time, by the interval; None where the blocks do not show it.

    A shared part that was measured at both sizes is subtracted, and named.
    """
    first, last = group[0], group[-1]
    less, more, beyond = [first.block_seconds], [last.block_seconds], ""
    if last.work.link_bytes_s is not None:
        small, large = ({part.work.operation: part for part in _parts(series, evidence)} for series in (first, last))
        if (shared := next((name for name in small if name in large), None)) is not None:
            beyond = f" beyond {shared}"
            less, more = [*less, large[shared].block_seconds], [*more, small[shared].block_seconds]
    blocks = [block for block in more[0] if all(block in times for times in (*less, *more))]
    differences = [sum(times[block] for times in more) - sum(times[block] for times in less) for block in blocks]
    low, high = interval(differences, alpha, sum(more[0][block] for block in blocks) / max(len(blocks), 1))
    needed = _needed(group)
    return high < needed or (None if low < needed else False), f"{duration(low)} to {duration(high)} more{beyond}"


def _flat(group: Sequence[Series]) -> tuple[bool | None, str]:
    """Whether published times grow too little with size; None where undecidable."""
    short, long = operation_time(group[0]), operation_time(group[-1])
    growth, needed, takes = long - short, _needed(group), f"{number(long / short)} times as long"
    if growth >= max(LEAST_GROWTH * needed, LEAST_SHOWN * short):
        return False, takes
    times, sizes = [operation_time(series) for series in group], {series.work.size_bytes for series in group}
    agree = len(sizes) > 2 and max(times) - min(times) < LEAST_GROWTH * needed
    shown = LEAST_AGREED if agree else LEAST_SHOWN
    return growth < LEAST_GROWTH * needed if needed >= shown * short else None, takes


def _needed(group: Sequence[Series]) -> float:
    return (_size(group[-1]) - _size(group[0])) / _speed_limit(group[-1])


def _speed_limit(series: Series) -> float:
    """Return the limit of one operation, by link or core, in bytes/s."""
    return min(link_bandwidth(series), NO_CORE_BYTES_S) if _is_called(series, _WORKED_ON) else link_bandwidth(series)


def _flat_in_words(group: Sequence[Series], takes: str) -> str:
    first, last = group[0], group[-1]
    speed = bandwidth(_speed_limit(last))
    limit = f"at no more than {speed}" if last.work.link_bytes_s else f"at {speed}, the highest possible,"
    return (
        f"{number(_size(last) / _size(first))} times the bytes take {takes} "
        f"({first.id}: {duration(operation_time(first))}; {last.id}: {duration(operation_time(last))}); {limit} "
        f"they need {duration(_needed(group))} more"
    )


def _size(series: Series) -> float:
    return series.work.size_bytes or 0.0
