"""What holds in block after block of a run of ours is not chance: its figures, and the shapes of its batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sectax.audit.checks.interface import Remark, cannot_be_checked, warning
from sectax.audit.checks.words import percent
from sectax.audit.own.evidence import Arm, BlockSeries, RunEvidence
from sectax.model.measured import BatchShape
from sectax.model.metric import Summary
from sectax.model.plan import FIRST_LOOK

# The statistics that every block estimates by itself, also of few observations.
_CENTRES = frozenset(summary.value for summary in (Summary.RATE, Summary.MEAN, Summary.MEDIAN))
# As `stats.batch_shape`: of fewer batches nothing is kept.
_FEWEST_BATCHES = 4
Hit = tuple[Arm, float]


def typical_speeds(evidence: RunEvidence) -> list[BlockSeries]:
    """Of a run of ours, the figures of the first metric that tells how long an operation takes as a rule."""
    figures = evidence.series
    speeds = [figure for figure in figures if figure.statistic in _CENTRES and figure.seconds()]
    return [figure for figure in speeds if figure.table == speeds[0].table]


def contained_parts(figure: BlockSeries, evidence: RunEvidence) -> list[BlockSeries]:
    """The operations that it must do as a part of itself and that were measured beside it, the next one first."""
    own = figure.work.operation
    # The level that names the operation differs, and nothing else.
    return [
        part
        for operation in figure.work.contains or ()
        for part in evidence.series
        if part.table == figure.table
        and part.work.operation == operation
        and all(level in (own, part.levels.get(name)) for name, level in figure.levels.items())
    ]


def interval(differences: Sequence[float], alpha: float, whole: float = 1.0) -> tuple[float, float]:
    """The interval of the mean of one difference per block, which may be looked at after every block.

    It is guarded as the verdicts are: a claim against a run must survive the mode of processes that theirs survive.

    Args:
        differences: in the order of the blocks.
        alpha: its chance to miss.
        whole: what they are differences of, in their unit; 1 for differences of logs.
    Returns:
        Its limits; infinite where the blocks are too few, or so unlike that no value agrees with all of them.
    """
    import numpy as np

    from sectax.stats.confidence_sequence import UNSEEN, running_sequence

    if len(differences) < FIRST_LOOK:
        return -np.inf, np.inf
    rows = np.array([differences], dtype=np.float64)
    sequence = running_sequence(rows, alpha, first_look=FIRST_LOOK, unseen=UNSEEN * whole)
    low, high = float(sequence.low[0, -1]), float(sequence.high[0, -1])
    return (low, high) if low <= high else (-np.inf, np.inf)


def watched(evidence: RunEvidence) -> list[Arm]:
    """The treatments of which enough blocks are known. With fewer there is no verdict to be doubted."""
    return [arm for arm in evidence.arms.values() if len(arm.shapes) >= FIRST_LOOK]


def has_batches(evidence: RunEvidence) -> bool:
    return any(arm.shapes or _too_few(arm) for arm in evidence.arms.values())


def column(arm: Arm, figure: Callable[[BatchShape], float | None]) -> list[float]:
    """One figure of every block, where it is known."""
    return [value for shape in arm.shapes.values() if (value := figure(shape)) is not None]


def warn(arms: Sequence[Arm], hits: Sequence[Hit], saw: str, meaning: str, advice: str) -> Iterator[Remark]:
    """One warning for each hit, or one for the run where most of its treatments are hit, with its change in *saw*."""
    if len(hits) > 1 and 2 * len(hits) > len(arms):
        arm, change = max(hits, key=lambda hit: abs(hit[1]))
        words = f"{saw.format(percent(change))} ({arm.id}). Seen in {len(hits)} of {len(arms)} treatments"
        yield warning("run", words, meaning, advice)
        return
    for arm, change in hits:
        yield warning(arm.id, saw.format(percent(change)), meaning, advice)


def unwatched(evidence: RunEvidence) -> Iterator[Remark]:
    """That a check cannot look into blocks of one to three batches."""
    few = [arm for arm in evidence.arms.values() if _too_few(arm)]
    if few:
        missing = f"needs {_FEWEST_BATCHES} batches a block ({len(few)} treatments)"
        yield cannot_be_checked(
            few[0].id if len(few) == 1 else "run", missing, "more rounds, which a longer --budget gives"
        )


def _too_few(arm: Arm) -> bool:
    fine = (metric.name for metric in arm.measured.plan.metrics if metric.resolution == 0)
    blocks = max((len(arm.values(metric)) for metric in fine), default=0)
    return arm.batches is not None and not arm.shapes and 0 < arm.batches.batches < _FEWEST_BATCHES * blocks
