"""Properties of the blocks of our own runs, and their intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sectax.audit.checks.interface import Remark, cannot_be_checked, warning
from sectax.audit.checks.words import percent
from sectax.audit.own.evidence import Arm, RunEvidence
from sectax.model.measured import BatchShape
from sectax.model.plan import FIRST_LOOK

# As in `stats.batch_shape`, which needs this many.
_FEWEST_BATCHES = 4
Hit = tuple[Arm, float]


def watched(evidence: RunEvidence) -> list[Arm]:
    """Return the treatments with enough blocks for a verdict."""
    return [arm for arm in evidence.arms.values() if len(arm.shapes) >= FIRST_LOOK]


def has_batches(evidence: RunEvidence) -> bool:
    return any(arm.shapes or _too_few(arm) for arm in evidence.arms.values())


def column(arm: Arm, figure: Callable[[BatchShape], float | None]) -> list[float]:
    """Return one figure of each block, where known."""
    return [value for shape in arm.shapes.values() if (value := figure(shape)) is not None]


def warn(arms: Sequence[Arm], hits: Sequence[Hit], saw: str, meaning: str, advice: str) -> Iterator[Remark]:
    """Yield one warning per hit, or one for the run where most are hit."""
    if len(hits) > 1 and 2 * len(hits) > len(arms):
        arm, change = max(hits, key=lambda hit: abs(hit[1]))
        words = f"{saw.format(percent(change))} ({arm.id}). Affected: {len(hits)} of {len(arms)} treatments"
        yield warning("run", words, meaning, advice)
        return
    for arm, change in hits:
        yield warning(arm.id, saw.format(percent(change)), meaning, advice)


def unwatched(evidence: RunEvidence) -> Iterator[Remark]:
    """Note the treatments with too few batches per block."""
    few = [arm for arm in evidence.arms.values() if _too_few(arm)]
    if few:
        missing = f"needs {_FEWEST_BATCHES} batches per block ({len(few)} treatments)"
        yield cannot_be_checked(few[0].id if len(few) == 1 else "run", missing, "use more rounds (a longer --budget)")


def _too_few(arm: Arm) -> bool:
    fine = (metric.name for metric in arm.measured.plan.metrics if metric.resolution == 0)
    blocks = max((len(arm.values(metric)) for metric in fine), default=0)
    return arm.batches is not None and not arm.shapes and 0 < arm.batches.batches < _FEWEST_BATCHES * blocks
