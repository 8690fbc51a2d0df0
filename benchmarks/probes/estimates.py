"""What blocks of two programs say together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sectax.stats.student import PointInterval, geometric_mean_interval

Times = Mapping[str, float]  # one block: program -> seconds per operation


def between(blocks: Sequence[Times], one: str, other: str) -> PointInterval:
    """The ratio of times of two programs: geometric mean over blocks, with Student's t in logs (95 %)."""
    return geometric_mean_interval([times[one] / times[other] for times in blocks], 0.95)


def microseconds(blocks: Sequence[Times], program: str) -> str:
    """Per operation, the geometric mean over blocks."""
    return f"{1e6 * geometric_mean_interval([times[program] for times in blocks], 0.95).point:.2f}"
