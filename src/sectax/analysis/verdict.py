"""The verdict for an interval, and the rule that ends a comparison."""

from __future__ import annotations

import math

from sectax.model.finding import UNSETTLED, WITHIN_MARGIN, VerdictId
from sectax.model.plan import ROUGHLY, Until

# Enough precision for a large effect: ten per cent of the baseline …
PRECISE_WIDTH = math.log(1.1)
# … and for a very large one a tenth of its logarithm: 70 or 90 times faster makes no difference.
PRECISE_SHARE = 0.1


def verdict(low: float, high: float, margin: float) -> VerdictId:
    """The verdict for an interval of the log ratio, positive if costlier.

    Args:
        low, high: limits; −inf and inf if unknown.
        margin: the smallest cost that matters; 0.02 is 2 %.
    Raises:
        ValueError: invalid interval, or a margin that is not positive.
    """
    if not low <= high:
        raise ValueError(f"no verdict for an interval from {low} to {high}")
    if not margin > 0:
        raise ValueError(f"a margin must be positive, not {margin}")
    material = math.log1p(margin)
    if low > 0:
        return _costlier(low, high, material)
    if high < 0:
        return _MIRRORED[_costlier(-high, -low, material)]
    if -material < low and high < material:
        return VerdictId.EQUIVALENT
    return VerdictId.INCONCLUSIVE


def _costlier(low: float, high: float, material: float) -> VerdictId:
    if low >= material:
        return VerdictId.SLOWER_MATERIAL
    if high < material:
        return VerdictId.SLOWER_WITHIN_MARGIN
    return VerdictId.SLOWER_MATERIALITY_OPEN


_MIRRORED = {
    VerdictId.SLOWER_MATERIAL: VerdictId.FASTER_MATERIAL,
    VerdictId.SLOWER_WITHIN_MARGIN: VerdictId.FASTER_WITHIN_MARGIN,
    VerdictId.SLOWER_MATERIALITY_OPEN: VerdictId.FASTER_MATERIALITY_OPEN,
}


def meets_stopping_rule(answer: VerdictId, low: float, high: float, point: float, margin: float, until: Until) -> bool:
    """Whether a comparison has reached the run's stopping rule.

    Verdicts within the margin are always precise enough.

    Args:
        answer: the verdict for `low` and `high`.
        point: mean log ratio.
    """
    if until is Until.BUDGET or answer in {VerdictId.INCONCLUSIVE, VerdictId.NOT_MEASURED}:
        return False
    if until is Until.DIRECTION or answer in WITHIN_MARGIN:
        return True
    return answer not in UNSETTLED and high - low <= target_width(point, margin, until)


def target_width(point: float, margin: float, until: Until) -> float:
    """The interval's width (log ratio) that is precise enough for such an effect."""
    if until is Until.PRECISE:
        return max(math.log1p(margin), min(abs(point) / 2, max(PRECISE_WIDTH, PRECISE_SHARE * abs(point))))
    return 2 * max(ROUGHLY, PRECISE_SHARE * abs(point))
