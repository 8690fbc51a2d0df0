"""Student's t looked at again and again, where the last look is known beforehand.

A sequence that holds for ever pays for looks that a plan with a largest number of blocks never takes. Here every look
has the same nominal level, small enough that all of them together stay at alpha (Pocock's design, for Student's t).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sectax.stats.moments import Array
from sectax.stats.student import critical_value


def nominal_level(alpha: ArrayLike, first: int, last: ArrayLike) -> Array:
    """The level of each look at which looks after every block from `first` to `last` have the level alpha together.

    The number of independent looks that all of them amount to is 2 + (z² − 1)/2 · ln(last/first), z the two-sided
    normal quantile of the nominal level, and never more than there are looks. That is the chance that a Brownian motion
    which is watched all the time crosses z·√t; blocks are watched at their ends only, so it errs on the wide side.
    Simulated (benchmarks.simulations.boundary): 3.9 to 4.5 % where 5 % are allowed.

    Args:
        alpha: in (0, 1), any shape.
        first, last: numbers of blocks at the first look and at the last; `last` broadcasts with `alpha`.
    Raises:
        ValueError: alpha outside (0, 1), or a last look before the first.
    Source: Siegmund, Sequential Analysis (1985), section 4.3; Pocock 1977.
    """
    from scipy.special import ndtri

    allowed, end = np.broadcast_arrays(np.asarray(alpha, dtype=np.float64), np.asarray(last, dtype=np.float64))
    if not bool(np.all((allowed > 0) & (allowed < 1))):
        raise ValueError(f"alpha must lie between 0 and 1, not {alpha!r}")
    if not bool(np.all(end >= first)):
        raise ValueError(f"the last look, at {last!r} blocks, comes before the first, at {first}")
    level = allowed
    for _ in range(50):  # a contraction: ten rounds are exact to nine digits
        square = np.asarray(ndtri(level / 2), dtype=np.float64) ** 2
        amount = 2 + np.maximum(square - 1, 0) / 2 * np.log(end / first)
        level = allowed / np.minimum(amount, end - first + 1)
    return level


def repeated_critical_value(count: ArrayLike, alpha: ArrayLike, first: int, last: ArrayLike) -> Array:
    """The critical value of t after `count` blocks; infinite below two. `alpha` and `last` broadcast with it."""
    return critical_value(count, nominal_level(alpha, first, last))
