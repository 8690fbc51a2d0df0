"""Whether the treatments of a run did their work."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterator

from sectax.audit.checks.fixed_time import NO_COST, SAME_TIME
from sectax.audit.checks.groups import rows
from sectax.audit.checks.growth import link_bandwidth
from sectax.audit.checks.interface import Remark, cannot_be_checked, check, fatal, warning
from sectax.audit.checks.physics import SHORTEST_OPERATION_S, USE_THE_RESULTS
from sectax.audit.checks.words import bandwidth, duration, named, number
from sectax.audit.form import Moves, Series
from sectax.audit.own.blocks import contained_parts, interval
from sectax.audit.own.evidence import RunEvidence
from sectax.formats.time_stops import compared_texts, find_time_stop
from sectax.model.treatment import Role
from sectax.text import units

# The chances of a false alarm: for a time that grows just enough, and for a whole that takes as long as its part.
CHANCE = 0.005
# The time of a whole command.
COMMAND_TIME = "wall"
SLEEPS = re.compile(r"\bu?sleep\b")
# Of programs that the clock stops after a whole number of seconds.
LATE_SHARE = 0.01
# A trial that ends by the clock ends a little late, after its last operation, and never early.
EARLY, LATE = 0.995, 1.05
READ_IT = "check that the whole body arrives, and that its last byte changes the result"


def _by_size(evidence: RunEvidence) -> list[list[Series]]:
    """Return groups with a body of two sizes or more, sorted by size."""
    bodies = [figure for figure in evidence.speeds if figure.work.moves is Moves.BODY and figure.work.size_bytes]
    return list(rows(bodies, lambda figure: figure.work.size_bytes))


@check(
    "F: time grows less with size than the bandwidth requires, beyond its interval",
    applies=lambda evidence: bool(_by_size(evidence)),
)
def flat_with_size(evidence: RunEvidence) -> Iterator[Remark]:
    groups = _by_size(evidence)
    unclear = []
    for group in groups:
        first, last = group[0], group[-1]
        sizes = [figure.work.size_bytes or 0.0 for figure in (first, last)]
        needed = (sizes[1] - sizes[0]) / link_bandwidth(last)
        part, low, high = _growth(first, last, evidence, CHANCE / len(groups))
        if low < needed <= high:
            unclear.append(last)
        for figure in group if high < needed else ():
            yield fatal(
                figure.treatment,
                f"{number(sizes[1] / sizes[0])} times the bytes take {duration(low)} to {duration(high)} more"
                f"{f' beyond {part}' if part else ''} ({first.id}; {last.id}); at no more than "
                f"{bandwidth(link_bandwidth(last))} they need {duration(needed)} more",
                "the body was not processed: something other than the treatment was measured",
                READ_IT,
            )
    if unclear:
        where = unclear[0].treatment if len(unclear) == 1 else "run"
        names = named((figure.id for figure in unclear), 1)
        missing = f"the blocks do not show whether time grows with size as it must ({names})"
        yield cannot_be_checked(where, missing, "use more blocks, or a larger size")


def _growth(first: Series, last: Series, evidence: RunEvidence, alpha: float) -> tuple[str, float, float]:
    """Return the interval of the extra seconds of the largest size.

    A shared part that was measured at both sizes is subtracted, and named in the first item.
    """
    less, more, beyond = [first.block_seconds], [last.block_seconds], ""
    if last.work.link_bytes_s is not None:
        small, large = (
            {part.work.operation: part for part in contained_parts(figure, evidence)} for figure in (first, last)
        )
        if (part := next((name for name in small if name in large), None)) is not None:
            beyond, less, more = part, [*less, large[part].block_seconds], [*more, small[part].block_seconds]
    shared = [block for block in more[0] if all(block in times for times in (*less, *more))]
    differences = [sum(times[block] for times in more) - sum(times[block] for times in less) for block in shared]
    return beyond, *interval(differences, alpha, sum(more[0][block] for block in shared) / max(len(shared), 1))


def _pairs(evidence: RunEvidence) -> list[tuple[Series, Series]]:
    """Return the pairs of an operation and one that it contains."""
    return [
        (whole, part) for whole in evidence.speeds for part in contained_parts(whole, evidence) if part.block_seconds
    ]


@check(
    "F: an operation is faster by the margin than another that it contains; W: where the other may wait",
    applies=lambda evidence: bool(_pairs(evidence)),
)
def contained_work(evidence: RunEvidence) -> Iterator[Remark]:
    pairs, contents = _pairs(evidence), evidence.plan.contents
    waits = {} if contents is None else contents.waits
    for whole, part in pairs:
        of_whole, of_part = whole.block_seconds, part.block_seconds
        logs = [math.log(of_whole[block] / of_part[block]) for block in of_whole if block in of_part]
        low, high = interval(logs, CHANCE / len(pairs))
        if high < -math.log1p(evidence.margin) and (advice := waits.get(part.work.operation or "")):
            times = f"{number(math.exp(-high))} to {number(math.exp(-low))} times as long as {whole.work.operation}"
            yield warning(part.treatment, f"takes {times}, which does more", "it waits for something else", advice)
        elif high < -math.log1p(evidence.margin):
            # A baseline also serves other comparisons, so the warning goes to the treatment.
            is_baseline = [evidence.arms[figure.treatment].treatment.role is Role.BASELINE for figure in (whole, part)]
            less = units.span(-100 * math.expm1(high), -100 * math.expm1(low))
            yield fatal(
                (part if is_baseline == [True, False] else whole).treatment,
                f"{whole.work.operation} contains {part.work.operation}, but takes "
                f"{less} % less time ({whole.id}; {part.id})",
                "the work was not done, or differs: the difference is not the cost of the treatment",
                "find out what one of them skips, or does in addition",
            )


@check(
    "F: even the slowest block moves more bytes per second than memory or link allow; W: it takes under 0.5 ns",
    applies=lambda evidence: bool(evidence.speeds),
)
def faster_than_physics(evidence: RunEvidence) -> Iterator[Remark]:
    """Noise does not explain it where even the slowest block is too fast."""
    for figure in evidence.speeds:
        slowest, size = max(figure.block_seconds.values()), figure.work.size_bytes
        if size is not None and figure.work.moves is Moves.BODY and size > slowest * link_bandwidth(figure):
            limits = f"{bandwidth(size / slowest)}; at most {bandwidth(link_bandwidth(figure))} is possible"
            saw = f"the slowest block of {figure.id} would be {limits}"
            yield fatal(figure.treatment, saw, "the bytes were not processed", READ_IT)
        elif slowest < SHORTEST_OPERATION_S:
            saw = f"one operation takes {duration(slowest)} at most in {figure.id}"
            meaning = "the loop was empty or almost empty: the compiler may have removed the work"
            yield warning(figure.treatment, saw, meaning, USE_THE_RESULTS)


def _commands(evidence: RunEvidence) -> dict[str, tuple[str, float]]:
    """Return the commands of treatments, and how long they typically last."""
    texts = compared_texts(evidence.plan) if COMMAND_TIME in evidence.metrics else {}
    commands = {}
    for arm in evidence.arms.values():
        levels = arm.treatment.levels
        text, values = texts.get(levels.get(evidence.plan.control, "")), arm.values(COMMAND_TIME)
        if text is not None and values and arm.treatment.role in (Role.BASELINE, Role.TREATMENT):
            for name, level in levels.items():
                text = text.replace(f"{{{name}}}", level)
            commands[arm.id] = (text, statistics.median(values.values()))
    return commands


@check(
    "F: batches last exactly the configured time, so they cannot show a cost; W: a command that stops by time, or two "
    "that last the same whole number of seconds",
    applies=lambda evidence: (
        bool(_commands(evidence)) or any(arm.witnesses.get("configured_s") for arm in evidence.arms.values())
    ),
)
def fixed_time_total(evidence: RunEvidence) -> Iterator[Remark]:
    """Read `configured_s`, by which a subject reports that the clock ends it, and command lines."""
    for arm in evidence.arms.values():
        configured = [value for value in arm.witnesses.get("configured_s", ()) if isinstance(value, (int, float))]
        if configured and arm.batch_s is not None and EARLY * configured[0] <= arm.batch_s <= LATE * configured[0]:
            saw = f"its {arm.batch_s:.4g} s are the configured {configured[0]:g} s"
            advice = "compare the variant with a fixed number of operations"
            yield fatal(arm.id, saw, NO_COST, advice)
    commands, advice = _commands(evidence), "give it a fixed amount of work, or compare what it counts"
    unexplained: dict[str, float] = {}
    for treatment, (text, lasted_s) in commands.items():
        stop = find_time_stop(text)
        if stop is not None and (not stop.is_limit or stop.explains(lasted_s)):
            yield warning(treatment, f"it stops by time ({stop.words}) and lasts {lasted_s:.3g} s", NO_COST, advice)
        elif not SLEEPS.search(text) and 0 <= lasted_s - round(lasted_s) <= LATE_SHARE * round(lasted_s):
            unexplained[treatment] = lasted_s
    first, *others = unexplained.items() if len(unexplained) > 1 else (("", 0.0),)
    for treatment, lasted_s in others:
        if abs(lasted_s / first[1] - 1) <= SAME_TIME and commands[treatment][0] != commands[first[0]][0]:
            saw = f"it lasts {lasted_s:.4g} s, and {first[0]} {first[1]:.4g} s"
            yield warning(treatment, saw, f"if the clock stops both, {NO_COST}", advice)
