"""One difference per block: treatment against baseline, in logs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sectax.model.metric import Better
from sectax.stats.moments import Array

# Beyond these the squares of values leave the range of a float; no clock gives such a number.
SMALLEST, LARGEST = 1e-150, 1e150


def paired_differences(baseline: Array, treatment: Array, better: Better) -> Array:
    """d_j = log θ(treatment) − log θ(baseline), its sign turned where more is better: positive is always costlier.

    Args:
        baseline, treatment: block values of equal shape; a value that is missing, infinite or not positive has no log.
    Returns:
        Differences of the same shape, NaN where either side has no value.
    """
    usable = has_log(baseline) & has_log(treatment)
    difference = np.log(np.where(usable, treatment, 1.0)) - np.log(np.where(usable, baseline, 1.0))
    if better == Better.HIGHER:
        difference = -difference
    return np.where(usable, difference, np.nan)


def has_log(values: Array) -> NDArray[np.bool_]:
    """Which values are positive, finite, and within what their squares can be counted in."""
    return (values > SMALLEST) & (values < LARGEST)
