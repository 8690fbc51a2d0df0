"""The batches of a sectax run by block, and warnings about most treatments at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sectax.audit.checks.interface import Remark, cannot_be_checked, warning
from sectax.audit.checks.words import percent
from sectax.audit.form import FEWEST_OF_SHAPE, Evidence, Series
from sectax.model.measured import BatchShape
from sectax.model.plan import FIRST_LOOK

Hit = tuple[Series, float]


def with_batches(evidence: Evidence) -> list[Series]:
    return [trial for trial in evidence.trials if trial.shapes is not None]


def watched(evidence: Evidence) -> list[Series]:
    """Return the treatments with enough blocks for a verdict."""
    return [trial for trial in evidence.trials if trial.shapes and len(trial.shapes) >= FIRST_LOOK]


def column(trial: Series, figure: Callable[[BatchShape], float | None]) -> list[float]:
    """Return one figure of each block, where known."""
    return [value for shape in (trial.shapes or {}).values() if (value := figure(shape)) is not None]


def warn(trials: Sequence[Series], hits: Sequence[Hit], saw: str, meaning: str, advice: str) -> Iterator[Remark]:
    """Yield one warning per hit, or one for the run where most are hit."""
    if len(hits) > 1 and 2 * len(hits) > len(trials):
        trial, change = max(hits, key=lambda hit: abs(hit[1]))
        words = f"{saw.format(percent(change))} ({trial.id}). Affected: {len(hits)} of {len(trials)} treatments"
        yield warning("run", words, meaning, advice)
        return
    for trial, change in hits:
        yield warning(trial.id, saw.format(percent(change)), meaning, advice)


def unwatched(evidence: Evidence) -> Iterator[Remark]:
    """Note the treatments with too few batches per block."""
    few = [trial for trial in with_batches(evidence) if not trial.shapes]
    if few:
        missing = f"needs {FEWEST_OF_SHAPE} batches per block ({len(few)} treatments)"
        yield cannot_be_checked(few[0].id if len(few) == 1 else "run", missing, "use more rounds (a longer --budget)")


def judged_differences(evidence: Evidence) -> dict[str, Sequence[float]]:
    """Return the paired differences of comparisons with enough blocks for a verdict."""
    return {id: values for id, values in evidence.differences.items() if len(values) >= FIRST_LOOK}
