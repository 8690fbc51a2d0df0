"""What may be claimed of an effect: the verdict table, and the rule by which a comparison is done."""

from __future__ import annotations

import math

from sectax.model.finding import UNSETTLED, WITHIN_MARGIN, VerdictId
from sectax.model.plan import ROUGHLY, Until

# A large effect is precise enough when it is known to within ten per cent of the baseline …
WIDEST = math.log(1.1)
# … and a very large one to a tenth of its logarithm: nobody decides between 70 and 90 times faster.
WIDEST_SHARE = 0.1


def verdict(low: float, high: float, margin: float) -> VerdictId:
    """The one verdict for an interval of the log ratio, positive always costlier.

    Args:
        low, high: the limits after all blocks so far, −inf and inf where nothing is known yet.
        margin: the smallest cost that matters, 0.02 is 2 %.
    Raises:
        ValueError: limits that are no interval, or a margin that is not positive.
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


def resolved(answer: VerdictId, low: float, high: float, point: float, margin: float, until: Until) -> bool:
    """Whether a comparison is done: it has what the run goes on for (docs/method-notes.md, 'When to stop').

    'Equivalent' and 'within the margin' are as narrow as any rule asks for: more blocks would shrink an interval that
    already lies within the margin.

    Args:
        answer: as `verdict` gave it for `low` and `high`.
        point: the mean log ratio.
    """
    if until is Until.BUDGET or answer in {VerdictId.INCONCLUSIVE, VerdictId.NOT_MEASURED}:
        return False
    if until is Until.DIRECTION or answer in WITHIN_MARGIN:
        return True
    return answer not in UNSETTLED and high - low <= narrow_enough(point, margin, until)


def narrow_enough(point: float, margin: float, until: Until) -> float:
    """The width of the interval at which an effect of this size is known well enough, as a log ratio."""
    if until is Until.PRECISE:
        return max(math.log1p(margin), min(abs(point) / 2, max(WIDEST, WIDEST_SHARE * abs(point))))
    return 2 * max(ROUGHLY, WIDEST_SHARE * abs(point))
