"""Paired log differences, and running moments with missing values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sectax.model.metric import Better

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


def running_moments(values: Array) -> tuple[Counts, Array, Array]:
    """Count, mean and sample standard deviation after every column.

    Args:
        values: shape (rows, columns); NaN if missing.
    Returns:
        Three arrays of the shape of `values`. The mean is 0 before the first value, the deviation 0 before the second.
    Source: Welford 1962, which keeps small spreads of large values.
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
            value = np.where(present_here, values[:, column], mean)  # a missing value changes nothing
            delta = value - mean
            mean = mean + delta / divisor[:, column]
            square = square + delta * (value - mean)
            means[column], squares[column] = mean, square
    deviation = np.sqrt(squares.T / np.maximum(count - 1, 1))
    return count, means.T, deviation


# Squares of values beyond these over- or underflow.
SMALLEST, LARGEST = 1e-150, 1e150


def paired_differences(baseline: Array, treatment: Array, better: Better) -> Array:
    """d_j = log θ(treatment) − log θ(baseline), positive if costlier.

    Args:
        baseline, treatment: block values of equal shape.
    Returns:
        Differences of the same shape, NaN if either value is missing, infinite or not positive.
    """
    usable = has_log(baseline) & has_log(treatment)
    difference = np.log(np.where(usable, treatment, 1.0)) - np.log(np.where(usable, baseline, 1.0))
    if better == Better.HIGHER:
        difference = -difference
    return np.where(usable, difference, np.nan)


def has_log(values: Array) -> NDArray[np.bool_]:
    """Which values are positive and finite, with squares in the range of a float."""
    return (values > SMALLEST) & (values < LARGEST)
