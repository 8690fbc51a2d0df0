"""Times of a run of ours that cannot be: too long for what holds them, below zero, no ticks, more CPU than there is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise

from sectax.audit.as_planned import ASK, RUN
from sectax.audit.check import Check, Remark, cannot_be_checked, fatal, warning
from sectax.audit.evidence import Evidence, RunRecord
from sectax.audit.words import blocks_named
from sectax.model.finding import Severity
from sectax.model.measured import Visited
from sectax.model.plan import FIRST_LOOK
from sectax.model.printable import printable

# Clocks of two hosts, and of a process and its kernel, differ a little; and a block may be very short.
_TOLERANCE = 1.1
_LEAST_S = 0.05
# CPU time over the time that passes: of one process on one processor at most 1.003 was ever seen.
_MORE_THAN_PASSES = 1.02


def _impossible_times(evidence: Evidence) -> Iterator[Remark]:
    record = evidence.record
    if record is None or evidence.batch is None:
        return
    yield from _longer_than_block(record)
    yield from _longer_than_span(record)
    yield from _into_the_next(record)
    yield from _negative(record)
    yield from _no_ticks(record)
    yield from _too_much_cpu(record)
    yield from _more_cpu_than_time(record)


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


def _into_the_next(record: RunRecord) -> Iterator[Remark]:
    """One block begins when the last is over. Clocks are set, but not between most of the blocks."""
    began = [(number, _moment(block.started)) for number, block in record.blocks.items()]
    following = [
        (number, (after - before).total_seconds(), record.blocks[number].seconds)
        for (number, before), (_, after) in pairwise(began)
        if before is not None and after is not None
    ]
    over = [each for each in following if each[2] > _TOLERANCE * each[1] + _LEAST_S]
    if len(over) > max(1, len(following) // 2):
        number, passed_s, seconds = over[0]
        yield fatal(
            RUN,
            f"block {number} lasts {seconds:.3g} s, and the next one begins {passed_s:.3g} s after it; so in "
            f"{blocks_named([each[0] for each in over])}",
            "the times are not those that were measured: another unit, or changed afterwards",
            ASK,
        )


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _longer_than_span(record: RunRecord) -> Iterator[Remark]:
    """A subject's batches lie between the readings of its telemetry."""
    over = [
        (number, treatment, each.elapsed_s, each.spanned_s)
        for number, treatment, each in record.visits()
        if each.spanned_s is not None and each.elapsed_s > _TOLERANCE * each.spanned_s + _LEAST_S
    ]
    for treatment in dict.fromkeys(each[1] for each in over):
        number, _, batches_s, spanned_s = next(each for each in over if each[1] == treatment)
        yield fatal(
            treatment,
            f"the batches of block {number} last {batches_s:.3g} s together, and {spanned_s:.3g} s passed while they "
            f"ran; so in {blocks_named([each[0] for each in over if each[1] == treatment])}",
            "the times are not those that were measured: another unit, or changed afterwards",
            ASK,
        )


def _no_ticks(record: RunRecord) -> Iterator[Remark]:
    """Clocks of ours count whole nanoseconds. A time that was multiplied, smoothed or drawn by lot is none any more.

    A clock that gives fractions gives them always. Where most of its times are whole, a fraction is no time of its.
    Two clocks of one name may differ, but not within one treatment.
    """
    by_clock: dict[str, list[tuple[int, str, Visited]]] = {}
    for number, treatment, each in record.visits():
        by_clock.setdefault(each.clock, []).append((number, treatment, each))
    for clock, visits in by_clock.items():
        batches, whole = sum(each.batches for *_, each in visits), sum(each.whole for *_, each in visits)
        if not batches or 2 * whole < batches:
            continue
        for treatment in dict.fromkeys(name for _, name, each in visits if each.broken):
            its = [(number, each) for number, name, each in visits if name == treatment]
            broken = [number for number, each in its if each.broken]
            count, of = sum(each.broken for _, each in its), sum(each.batches for _, each in its)
            within = any(not each.broken for _, each in its)
            yield Remark(
                Severity.FATAL if within else Severity.WARNING,
                treatment,
                f"{count} of {of} batches take no whole number of nanoseconds, as the clock ({printable(clock)}) gave "
                f"{whole} of {batches} times: in {blocks_named(broken)}",
                "these times were computed, not measured"
                if within
                else "these times were computed, not measured; or their clock is another one with the same name",
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


def _more_cpu_than_time(record: RunRecord) -> Iterator[Remark]:
    """Batches of one process have no more CPU time than passes, unless it works on several processors at once."""
    if not record.cpu_of_batches:
        return
    shares: dict[str, list[float]] = {}
    for _, treatment, each in record.visits():
        if each.cpu_s is not None and each.elapsed_s > 0:
            shares.setdefault(treatment, []).append(each.cpu_s / each.elapsed_s)
    always = [name for name, of in shares.items() if len(of) >= FIRST_LOOK and min(of) > _MORE_THAN_PASSES]
    others = [max(of) for name, of in shares.items() if name not in always]
    if others and max(others) < _MORE_THAN_PASSES:
        for treatment in always:
            yield warning(
                treatment,
                f"its batches have {min(shares[treatment]):.2f} to {max(shares[treatment]):.2f} times as much CPU time "
                f"as passes, in all {len(shares[treatment])} blocks, and no other treatment's have more than passes",
                "it alone works on several processors at once, and wall time does not show what it costs; or its times "
                "were changed",
                "compare CPU time, or keep it to one processor",
            )


IMPOSSIBLE_TIMES = Check(
    id="impossible-times",
    rule="F: blocks last into the next ones, or batches longer than their block or than passed while they ran, or less "
    "than nothing, or have more CPU time than their processors, or in some blocks no whole nanoseconds though their "
    "clock counts them; W: in all blocks, or one treatment alone always has more CPU time than passes",
    examine=_impossible_times,
    applies=lambda evidence: evidence.record is not None and evidence.batch is not None,
)
