"""What holds in block after block of a treatment is no chance: the shapes of batches, judged over the blocks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from sectax.audit.check import cannot_be_checked
from sectax.audit.evidence import Arm, Evidence
from sectax.model.finding import Severity, Warning
from sectax.model.measured import BatchShape
from sectax.model.plan import FIRST_LOOK

# As `stats.batch_shape`: of fewer batches nothing is kept.
FEWEST_BATCHES = 4

Hit = tuple[Arm, float]


def watched(evidence: Evidence) -> list[Arm]:
    """The treatments of which enough blocks are known. With fewer there is no verdict to be doubted."""
    return [arm for arm in evidence.arms.values() if len(arm.shapes) >= FIRST_LOOK]


def has_batches(evidence: Evidence) -> bool:
    return any(arm.shapes for arm in evidence.arms.values()) or any(_too_few(arm) for arm in evidence.arms.values())


def column(arm: Arm, of: Callable[[BatchShape], float | None]) -> list[float]:
    """One figure of every block, where it is known."""
    return [value for shape in arm.shapes.values() if (value := of(shape)) is not None]


def percent(log_ratio: float) -> str:
    return f"{100 * math.expm1(min(log_ratio, 100)):+.2g} %"


def warn(
    check: str, arms: Sequence[Arm], hits: Iterable[Hit], saw: Callable[[Hit], str], meaning: str, advice: str
) -> Iterator[Warning]:
    """One warning for each hit, or one for the run where most of its treatments are hit."""
    found = list(hits)
    if len(found) > 1 and 2 * len(found) > len(arms):
        worst = max(found, key=lambda hit: abs(hit[1]))
        words = f"{saw(worst)} ({worst[0].id}). So in {len(found)} of {len(arms)} treatments"
        yield Warning(check, Severity.WARNING, "run", words, meaning, advice)
        return
    for hit in found:
        yield Warning(check, Severity.WARNING, hit[0].id, saw(hit), meaning, advice)


def unwatched(check: str, evidence: Evidence) -> Iterator[Warning]:
    """That a check cannot look into blocks of one to three batches."""
    few = [arm for arm in evidence.arms.values() if _too_few(arm)]
    if few:
        subject = few[0].id if len(few) == 1 else "run"
        yield cannot_be_checked(
            check, subject, f"fewer than {FEWEST_BATCHES} batches a block of {len(few)} treatments", "more rounds"
        )


def _too_few(arm: Arm) -> bool:
    blocks = max((len(values) for values in arm.values.values()), default=0)
    return arm.batches is not None and not arm.shapes and 0 < arm.batches.batches < FEWEST_BATCHES * blocks
