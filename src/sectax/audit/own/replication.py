"""What one process is like is not what all are like."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.audit.checks.interface import Check, Remark, fatal
from sectax.audit.own.evidence import Arm, RunEvidence
from sectax.model.finding import UNSETTLED, Finding

# A resemblance of the batches of a process from which on they may not be taken for independent.
MOST_ALIKE = 0.05


def _in_runs(evidence: RunEvidence) -> Iterator[Remark]:
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


def _processes(evidence: RunEvidence, finding: Finding) -> int | None:
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


FALSE_REPLICATION: Check[RunEvidence] = Check(
    id="false-replication",
    rule="F: a verdict that counts more units than there were processes, or one process a side",
    examine=_in_runs,
    applies=lambda evidence: bool(evidence.arms),
)
