"""Blocks of a run of ours whose times are those of another block, to the last digit."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence

from sectax.audit.as_planned import ASK, RUN
from sectax.audit.check import Check, Remark, fatal
from sectax.audit.evidence import Evidence
from sectax.audit.words import blocks_named
from sectax.model.measured import Visited

# The chance that two blocks of any treatment of a run tie by themselves.
CHANCE = 1e-7
# Relative to itself: no machine gives times that are more alike from block to block.
_LEAST_SPREAD = 1e-4
_FINEST_S = 1e-9
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
    arms = dict.fromkeys(treatment for _, treatment, _ in record.visits())
    for treatment in arms:
        visits = {number: each for number, name, each in record.visits() if name == treatment and each.batches}
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
    rule="F: blocks have the times of another block to the last digit, beyond what the clock's steps explain",
    examine=_examine,
    applies=lambda evidence: evidence.record is not None and evidence.batch is not None,
)
