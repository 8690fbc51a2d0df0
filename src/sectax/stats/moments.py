"""One difference per block, and their running mean and standard deviation, where some blocks may be missing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sectax.model.metric import Better

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


def running_moments(values: Array) -> tuple[Counts, Array, Array]:
    """How many values, their mean and their standard deviation, after every column.

    Args:
        values: shape (rows, columns); NaN is a missing value and counts for nothing.
    Returns:
        count, mean and sample standard deviation, each of the shape of `values`. The mean is 0 before the first
        value, the deviation 0 before the second.
    Source: Welford 1962. The textbook's sum of squares would lose the small spread of a large value, and would
        give a spread to values that are all the same.
    """
    rows, columns = values.shape
    present = np.isfinite(values)
    count = np.cumsum(present, axis=1, dtype=np.int64)
    means = np.empty((columns, rows))
    squares = np.empty((columns, rows))
    mean = np.zeros(rows)
    square = np.zeros(rows)
    if present.all():
        for column in range(columns):
            value = values[:, column]
            delta = value - mean
            mean = mean + delta / (column + 1)
            square = square + delta * (value - mean)
            means[column], squares[column] = mean, square
    else:
        divisor = np.maximum(count, 1)
        for column in range(columns):
            present_here = present[:, column]
            value = np.where(present_here, values[:, column], mean)  # a missing value moves nothing
            delta = value - mean
            mean = mean + delta / divisor[:, column]
            square = square + delta * (value - mean)
            means[column], squares[column] = mean, square
    deviation = np.sqrt(squares.T / np.maximum(count - 1, 1))
    return count, means.T, deviation


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
