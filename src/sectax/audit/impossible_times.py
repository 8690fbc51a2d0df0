"""Times of a run of ours that cannot be: longer than their block, below zero, more CPU time than processors give."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.as_planned import ASK, RUN
from sectax.audit.check import Check, Remark, cannot_be_checked, fatal
from sectax.audit.evidence import Evidence, RunRecord
from sectax.audit.words import blocks_named

# Clocks of two hosts, and of a process and its kernel, differ a little; and a block may be very short.
_TOLERANCE = 1.1
_LEAST_S = 0.05


def _impossible_times(evidence: Evidence) -> Iterator[Remark]:
    record = evidence.record
    if record is None or evidence.batch is None:
        return
    yield from _longer_than_block(record)
    yield from _negative(record)
    yield from _too_much_cpu(record)


def _longer_than_block(record: RunRecord) -> Iterator[Remark]:
    """Subjects are visited one after the other, so their batches fit into the block together."""
    too_long = {}
    for number, block in record.blocks.items():
        batches_s = sum(each.elapsed_s for each in block.visited.values() if not each.failed)
        if batches_s > _TOLERANCE * block.seconds + _LEAST_S:
            too_long[number] = batches_s
    if too_long:
        number = max(too_long, key=lambda each: too_long[each] / max(record.blocks[each].seconds, 1e-9))
        yield fatal(
            RUN,
            f"the batches of block {number} last {too_long[number]:.3g} s together, and the block "
            f"{record.blocks[number].seconds:.3g} s; so in {blocks_named(too_long)}",
            "the times are not those that were measured: another unit, or changed afterwards",
            ASK,
        )


def _negative(record: RunRecord) -> Iterator[Remark]:
    below = [(number, treatment) for number, treatment, each in record.visits() if each.shortest_s < 0]
    for treatment in dict.fromkeys(treatment for _, treatment in below):
        yield fatal(
            treatment,
            f"a batch took less than no time, in {blocks_named([number for number, of in below if of == treatment])}",
            "no clock says so: the times were changed, or the clock is broken",
            "measure again with a clock that only goes forward",
        )


def _too_much_cpu(record: RunRecord) -> Iterator[Remark]:
    """No processor gives more CPU time than passes."""
    known = [
        (number, treatment, each.cpu_s, each.elapsed_s if record.cpu_of_batches else record.blocks[number].seconds)
        for number, treatment, each in record.visits()
        if each.cpu_s is not None
    ]
    if known and record.processors is None:
        yield cannot_be_checked(RUN, "how many processors gave CPU time is not reported")
        return
    most = _TOLERANCE * (record.processors or 0)
    over = [each for each in known if (each[2] or 0.0) > most * each[3] + _LEAST_S]
    for treatment in dict.fromkeys(each[1] for each in over):
        number, _, cpu_s, elapsed_s = next(each for each in over if each[1] == treatment)
        yield fatal(
            treatment,
            f"{cpu_s:.3g} s of CPU time in {elapsed_s:.3g} s on {record.processors} processors, in block {number}; so "
            f"in {blocks_named([each[0] for each in over if each[1] == treatment])}",
            "processors give no more CPU time than passes: the times were changed, or have different units",
            ASK,
        )


IMPOSSIBLE_TIMES = Check(
    id="impossible-times",
    rule="F: batches last longer than their block, or less than nothing, or have more CPU time than their processors",
    examine=_impossible_times,
    applies=lambda evidence: evidence.record is not None and evidence.batch is not None,
)
