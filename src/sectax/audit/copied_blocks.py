"""Blocks of a run of ours whose times are those of another block, to the last digit or times a factor."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from sectax.audit.as_planned import ASK, RUN
from sectax.audit.check import Check, Remark, fatal
from sectax.audit.evidence import Evidence
from sectax.audit.words import blocks_named
from sectax.model.measured import BatchShape, Visited

# The chance that two blocks of any treatment of a run tie by themselves.
CHANCE = 1e-7
# Relative to itself: no machine gives times that are more alike from block to block.
_LEAST_SPREAD = 1e-4
_FINEST_S = 1e-9
# Of a standard deviation: figures of two blocks that differ by less are the same figure, but for rounding. Where the
# clock's steps hide more than the second, equal ones come by chance.
_ALIKE, _MOST_ALIKE = 2e-5, 1e-3
# In standard deviations of a normal distribution.
_QUARTILES_APART = 1.349

Times = tuple[float, float, float | None]


def _examine(evidence: Evidence) -> Iterator[Remark]:
    record = evidence.record
    if record is None:
        return
    together = 0.0
    copies: dict[int, list[int]] = {}  # by the first block that has the times, the others
    treatments = 0
    arms = record.by_treatment()
    for treatment, every in arms.items():
        visits = {number: each for number, each in every.items() if each.batches}
        ties = [numbers for numbers in _same(visits).values() if len(numbers) > 1]
        if not ties:
            continue
        one = _log_chance(list(visits.values()), _step(evidence, treatment)) + math.log(len(visits))
        together += sum(len(numbers) - 1 for numbers in ties) * min(one, 0.0)
        treatments += 1
        for first, *others in ties:
            copies.setdefault(first, []).extend(others)
    if together < math.log(CHANCE):
        first = max(copies, key=lambda each: len(copies[each]))
        yield fatal(
            RUN,
            f"{blocks_named(copies[first])} {'has' if len(set(copies[first])) == 1 else 'have'} the times of block "
            f"{first} to the last digit, in {treatments} of {len(arms)} treatments",
            "they were not measured: one block was copied over others",
            ASK,
        )
    yield from _times_a_factor(evidence)


def _times_a_factor(evidence: Evidence) -> Iterator[Remark]:
    """A factor moves all batches alike, in logs, and leaves everything else that is known of how they lie."""
    lying = sorted(_lying(evidence), key=lambda each: each.deviation)
    pairs = []
    for place, one in enumerate(lying):
        for other in islice(lying, place + 1, None):
            if other.deviation > one.deviation * (1 + one.alike):
                break
            if _is_multiple(one, other):
                pairs.append((one, other))
    # That of a pair to be alike in three figures, and as often as there are pairs that might be.
    tried = math.log(max(math.comb(len(lying), 2), 1))
    if pairs and sum(3 * math.log(4 * one.alike) + tried for one, _ in pairs) < math.log(CHANCE):
        one, other = sorted(pairs[0], key=lambda each: (each.treatment, each.number))
        yield fatal(
            RUN,
            f"the batches of {other.treatment} in block {other.number} are those of {one.treatment} in block "
            f"{one.number}, each times {math.exp(other.mean - one.mean):.4g}"
            + (f"; so it is with {len(pairs)} pairs of blocks" if len(pairs) > 1 else ""),
            "they were not measured: one was computed from the other",
            ASK,
        )


class _Lying(NamedTuple):
    """How the batches of one block lie: `mean` and `deviation` of logs, and `alike`, what rounding makes of equals."""

    number: int
    treatment: str
    mean: float
    deviation: float
    alike: float
    shape: BatchShape


def _lying(evidence: Evidence) -> Iterator[_Lying]:
    record = evidence.record
    steps = {treatment: _step(evidence, treatment) for treatment in evidence.arms}
    for number, treatment, visited in record.visits() if record is not None else ():
        arm = evidence.arms.get(treatment)
        shape = None if arm is None else arm.shapes.get(number)
        if shape is not None and shape.variance > 0:
            deviation = math.sqrt(shape.variance)
            batch_s = visited.elapsed_s / visited.batches
            alike = max(_ALIKE, 2 * steps[treatment] / (deviation * batch_s))
            if alike <= _MOST_ALIKE:
                yield _Lying(number, treatment, shape.mean, deviation, alike, shape)


def _is_multiple(one: _Lying, other: _Lying) -> bool:
    """Whether they lie alike but for a factor. Equal ones are the business of others: here, and in `copied-data`."""
    allowed = one.alike * one.deviation
    return (
        one.shape.batches == other.shape.batches
        and abs(one.mean - other.mean) > allowed
        and abs(one.shape.first_excess - other.shape.first_excess) < allowed
        and abs(one.shape.drift - other.shape.drift) < allowed
        and one.shape.first_rank == other.shape.first_rank
        and one.shape.slow_share == other.shape.slow_share
    )


def _same(visits: Mapping[int, Visited]) -> dict[Times, list[int]]:
    groups: dict[Times, list[int]] = {}
    for number, each in visits.items():
        groups.setdefault((each.elapsed_s, each.shortest_s, each.cpu_s), []).append(number)
    return groups


def _step(evidence: Evidence, treatment: str) -> float:
    """The coarsest that anything says of the clock, in seconds."""
    arm = evidence.arms.get(treatment)
    steps = [] if arm is None else [arm.granularity_s, None if arm.batches is None else arm.batches.step_s]
    return max([_FINEST_S, *(step for step in steps if step)])


def _log_chance(visits: Sequence[Visited], step: float) -> float:
    """The log of the chance that two blocks have the same times.

    Two values of standard deviation s, rounded to steps of q, are equal with chance q / (2 s √π). The spread is that
    of the middle half of the blocks with equally many operations, so that neither a spike nor another size of the
    batches makes ties on a coarse clock look unlikely. The CPU time of a block follows from its time, so it is not
    counted besides. The step is the greater of the clock's and of the digits that are there.
    """
    column = [each.elapsed_s for each in visits]
    by_size: dict[int, list[float]] = {}
    for each in visits:
        by_size.setdefault(each.operations, []).append(each.elapsed_s)
    alike = max(by_size.values(), key=len)
    spread = max(_middle_half(alike) / _QUARTILES_APART, _LEAST_SPREAD * abs(statistics.fmean(alike)), _FINEST_S)
    return min(0.0, math.log(max(step, _digits(column)) / (2 * math.sqrt(math.pi) * spread)))


def _middle_half(values: Sequence[float]) -> float:
    """The distance of the quartiles."""
    if len(values) < 2:
        return 0.0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return high - low


def _digits(values: Sequence[float]) -> float:
    """The coarsest power of ten that all of them are whole multiples of, down to a nanosecond."""
    for digits in range(9):
        step = 10.0**-digits
        if all(abs(value / step - round(value / step)) < 1e-6 for value in values):
            return step
    return _FINEST_S


COPIED_BLOCKS = Check(
    id="copied-blocks",
    rule="F: blocks have the times of another block to the last digit, beyond what the clock's steps explain, or are "
    "those of another one times a factor",
    examine=_examine,
    applies=lambda evidence: evidence.record is not None and evidence.batch is not None,
)
