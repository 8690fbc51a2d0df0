"""Summaries of a process's batches (drift, modes, first batch) for the audit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from sectax.model.measured import BatchShape

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sectax.stats.moments import Array

# The minimum number of batches for a shape.
FEWEST = 4
# A mode has at least two batches and this share of all; less is a spike.
SMALLEST_MODE = 0.1


class Batches(NamedTuple):
    """Summary of the batches of one process.

    Attributes:
        shape: None with fewer than `FEWEST` batches, or if one has no time.
        distinct: number of different times per operation.
        step: smallest difference between two different times; None if none repeats, or all are equal.
    """

    shape: BatchShape | None
    distinct: int
    step: float | None


def process_batches(times: Array, places: Array, lengths: Sequence[int]) -> list[Batches]:
    """Summarize the batches of many processes at once.

    Args:
        times: seconds per operation of every batch (0 if missing), process by process in the order of execution, shape
            (batches,).
        places: index of every batch within its round, same shape.
        lengths: number of batches of each process, at least one; their sum is the number of batches.
    Returns:
        One summary per process, bit for bit independent of the other processes.
    """
    import numpy as np

    by_process: dict[int, Batches] = {}
    length = np.array(lengths, dtype=np.intp)
    start: NDArray[np.intp] = np.cumsum(length) - length
    for size in np.unique(length).tolist():
        which = np.nonzero(length == size)[0]
        at = start[which, None] + np.arange(size)  # one process a row
        ordered = np.sort(times[at], axis=1)
        steps = np.diff(ordered, axis=1)
        distinct = 1 + (steps > 0).sum(axis=1)
        smallest = np.where(steps > 0, steps, np.inf).min(axis=1, initial=np.inf)
        repeats = (distinct < size) & (distinct > 1)
        shapes = _shapes(times[at], places[at]) if size >= FEWEST else [None] * which.size
        columns = (which.tolist(), shapes, distinct.tolist(), smallest.tolist(), repeats.tolist())
        for process, shape, different, step, repeats in zip(*columns, strict=True):
            by_process[process] = Batches(shape, different, step if repeats else None)
    return [by_process[process] for process in range(len(lengths))]


def _shapes(times: Array, places: Array) -> list[BatchShape | None]:
    """The shapes of processes; arrays have shape (processes, batches)."""
    import numpy as np

    size = times.shape[1]
    positive = times.min(axis=1) > 0
    logs = np.log(np.where(times > 0, times, 1.0))
    mean = logs.mean(axis=1)
    around = logs - mean[:, None]
    squares = (around * around).sum(axis=1)

    rest = logs[:, 1:]
    excess = logs[:, 0] - np.median(rest, axis=1)
    below = (rest < logs[:, :1]).sum(axis=1) + 0.5 * (rest == logs[:, :1]).sum(axis=1)

    visit = np.arange(size) - (size - 1) / 2
    drift = (around * visit).sum(axis=1) / (visit * visit).sum() * (size - 1)

    place = places - places.mean(axis=1)[:, None]
    spread = (place * place).sum(axis=1)
    span = places.max(axis=1) - places.min(axis=1)
    order = (around * place).sum(axis=1) / np.where(spread > 0, spread, 1.0) * span

    share, separation = best_split(np.sort(around, axis=1), squares)
    columns = (
        mean.tolist(),
        excess.tolist(),
        ((below + 0.5) / size).tolist(),
        drift.tolist(),
        [value if varies else None for value, varies in zip(order.tolist(), (spread > 0).tolist(), strict=True)],
        share.tolist(),
        separation.tolist(),
    )
    return [
        BatchShape(size, *row) if usable else None for usable, *row in zip(positive.tolist(), *columns, strict=True)
    ]


def best_split(ordered: Array, squares: Array) -> tuple[Array, Array]:
    """The split of sorted rows that explains most variance.

    Returns:
        The share of the slow part, and the distance of the parts in standard deviations within them (0 if all values
        are equal).
    Source: Otsu 1979; Engelman and Hartigan 1969.
    """
    import numpy as np

    size = ordered.shape[1]
    least = max(2, int(np.ceil(SMALLEST_MODE * size)))
    low = np.arange(least, size - least + 1)  # sizes of the fast part
    below = np.cumsum(ordered, axis=1)[:, low - 1]
    total = ordered.sum(axis=1)[:, None]
    gap = (total - below) / (size - low) - below / low
    between = gap * gap * (low * (size - low) / size)
    rows = np.arange(ordered.shape[0])
    best = between.argmax(axis=1)
    # The lower bound guards against rounding.
    within = np.maximum(squares - between[rows, best], 1e-12 * squares)
    deviation = np.sqrt(within / (size - 2))
    separation = np.where(deviation > 0, gap[rows, best] / np.where(deviation > 0, deviation, 1.0), 0.0)
    return (size - low[best]) / size, separation
