"""Ten thousand trials in one process, or on one host, are one observation of it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.audit.check import Check, Remark, cannot_be_checked, fatal, warning
from sectax.audit.evidence import Arm, Evidence
from sectax.audit.figure import Figure
from sectax.audit.grouping import gather, speeds
from sectax.audit.words import plural, subject
from sectax.model.finding import UNSETTLED, Finding

# With fewer no general claim is made: the claim names those that were measured.
ENOUGH = 5
# A resemblance of the batches of a process from which on they may not be taken for independent.
MOST_ALIKE = 0.05


def _examine(evidence: Evidence) -> Iterator[Remark]:
    yield from _figures(evidence)
    yield from _in_runs(evidence)


def _figures(evidence: Evidence) -> Iterator[Remark]:
    for group in gather(speeds(evidence), _replication):
        count, unit = _replication(group[0])
        where = subject(group)
        if count is None:
            missing = "on how many hosts, and in how many processes, each side was measured is not reported"
            yield cannot_be_checked(where, missing)
        elif count < ENOUGH:
            yield warning(
                where,
                f"each figure is of {'one ' + unit if count == 1 else f'{count} {plural(unit)}'}",
                f"the figures stand for what was measured; they say nothing of the next {unit}",
                f"repeat with fresh ones: {ENOUGH} on each side for a general claim",
            )


def _replication(figure: Figure) -> tuple[int | None, str]:
    return figure.circumstances.replicates, figure.circumstances.replicate or "process or host"


def _in_runs(evidence: Evidence) -> Iterator[Remark]:
    """F where a verdict rests on one process a side, or on more units than there were processes."""
    for finding in evidence.measured_findings():
        effect = finding.effect
        processes = _processes(evidence, finding)
        if effect is None or processes is None or finding.verdict in UNSETTLED:
            continue
        if processes >= 2 and effect.blocks <= processes:
            continue
        arms = (evidence.arms[finding.comparison.treatment], evidence.arms[finding.comparison.baseline])
        alike = max((value for arm in arms if (value := resemblance(arm)) is not None), default=None)
        saw = f"{effect.blocks} units are claimed, of {processes} {'process' if processes == 1 else 'processes'} a side"
        if alike is not None and alike > MOST_ALIKE:
            saw += f"; the batches of a process resemble each other (an intraclass correlation of {alike:.2f})"
        yield fatal(
            finding.comparison.id,
            saw,
            "what one process is like was taken for what all are like",
            "one value for each process, from two processes a side at least",
        )


def _processes(evidence: Evidence, finding: Finding) -> int | None:
    """The processes of the side that has fewer; None where its metric comes in steps, of which no values are kept."""
    metric = finding.comparison.metric
    sides = [evidence.arms.get(arm) for arm in (finding.comparison.treatment, finding.comparison.baseline)]
    counts = [len(arm.values[metric]) for arm in sides if arm is not None and metric in arm.values]
    return min(counts) if len(counts) == len(sides) else None


def resemblance(arm: Arm) -> float | None:
    """The intraclass correlation of its batches: the share of their variance that lies between processes.

    None of fewer than two processes, and where nothing varies.
    Source: Fisher's analysis of variance with one factor at random, with the harmonic mean for unequal numbers.
    """
    shapes = list(arm.shapes.values())
    if len(shapes) < 2:
        return None
    mean = math.fsum(shape.mean for shape in shapes) / len(shapes)
    between = math.fsum((shape.mean - mean) ** 2 for shape in shapes) / (len(shapes) - 1)
    within = math.fsum(shape.variance for shape in shapes) / len(shapes)
    of_means = within * math.fsum(1 / shape.batches for shape in shapes) / len(shapes)
    total = between - of_means + within
    return max(0.0, (between - of_means) / total) if total > 0 else None


FALSE_REPLICATION = Check(
    id="false-replication",
    rule="W: fewer than five processes or hosts on each side, whatever the number of trials; "
    "F in runs of ours: a verdict that counts more units than there were processes, or one process a side",
    examine=_examine,
    applies=lambda evidence: bool(speeds(evidence)) or bool(evidence.arms),
)
