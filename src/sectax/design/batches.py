"""Batch sizes: operations per batch, such that compared batches last equally long.

A turn is one operation, or as many as the clock needs. The machine's speed changes within tenths of a second, so arms
that are visited in longer turns meet different conditions; rounds fill the block. A plan asks for a longer turn where
operations are timed together, and a change of turns costs them their caches (docs/method-notes.md, 'Short turns').

A long batch is interrupted by other work on the machine more often than a short one. Where that work is steady it costs
both the same share; where it varies the short batches often escape it whole, and their treatment looks faster.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

# A batch must be long compared with the clock's step and the cost of reading it, or it measures the clock.
GRANULARITY_STEPS = 1000
CLOCK_READS = 100
SHORTEST_BATCH_S = 1e-3
# A longer batch would not fit into any block; one operation that lasts longer is a batch of one.
MOST_OPERATIONS = 10_000_000
# Batches of one cell that differ more in length are sized again between two blocks.
UNEVEN = 1.5
# Additional operations of the slowest arm that are tried to bring whole operations to about equal lengths.
_MORE = 4
_GROWTH = 8


@dataclass(frozen=True)
class Operation:
    """Properties of an operation that determine its batch size.

    Attributes:
        operation_s: seconds of one operation where nothing disturbs it.
        shortest_s: shortest batch that the clock allows.
        most: maximum operations of a batch; None where any number fits.
        fewest: minimum operations of a batch, because fewer do not show what is measured.
    """

    operation_s: float
    shortest_s: float
    most: int | None = None
    fewest: int = 1


def shortest_batch(granularity_s: float, clock_read_s: float, *, timed_alone: bool = False) -> float:
    """Minimum seconds of a batch; if operations are timed singly, the clock decides."""
    return max(GRANULARITY_STEPS * granularity_s, CLOCK_READS * clock_read_s, 0.0 if timed_alone else SHORTEST_BATCH_S)


def next_count(count: int, elapsed_s: float, enough_s: float, most: int = MOST_OPERATIONS) -> int | None:
    """Next number of operations to try, or None when `count` of them last long enough."""
    if elapsed_s >= enough_s or count >= most:
        return None
    if elapsed_s <= 0:
        return min(count * _GROWTH, most)
    wanted = int(count * enough_s / elapsed_s * 1.2) + 1
    return min(max(count + 1, min(wanted, count * _GROWTH)), most)


def batch_sizes(cell: Mapping[str, Operation], aim_s: float, *, equal_counts: bool = False) -> dict[str, int]:
    """Operations per batch of every treatment of a cell, with batches of equal length.

    Batches last about `aim_s` or as long as the clock needs. The slowest operation decides, since its batch cannot be
    cut as finely as the others'.

    Args:
        aim_s: target seconds; 0 where operations are timed one by one: then the clock decides for each by itself.
        equal_counts: whether the batches have equal operation counts instead, where each is a new process.
    """
    if not cell:
        return {}
    if not aim_s and not equal_counts:
        return {name: whole_operations(calibration.shortest_s, calibration) for name, calibration in cell.items()}
    slowest = max(cell.values(), key=lambda calibration: calibration.operation_s)
    wanted_s = max(aim_s, *(calibration.shortest_s for calibration in cell.values()))
    count = whole_operations(wanted_s, slowest)
    if equal_counts:
        least = max(whole_operations(calibration.shortest_s, calibration) for calibration in cell.values())
        return {name: _limited(max(count, least), calibration) for name, calibration in cell.items()}
    sizes = [
        {name: whole_operations(slowest.operation_s * operations, calibration) for name, calibration in cell.items()}
        for operations in range(count, count + _MORE)
    ]
    return min(sizes, key=lambda counts: uneven([counts[name] * cell[name].operation_s for name in cell]))


def uneven(lengths_s: Collection[float]) -> bool:
    """Whether batches of a cell differ so much in length that a load can favour one."""
    return bool(lengths_s) and max(lengths_s) > UNEVEN * min(lengths_s)


def whole_operations(length_s: float, operation: Operation) -> int:
    """The number of operations whose length is nearest in ratio."""
    exact = length_s / max(operation.operation_s, 1e-12)
    below = math.floor(exact)
    nearest = below if exact < math.sqrt(below * (below + 1)) else below + 1
    return _limited(nearest, operation)


def _limited(count: int, operation: Operation) -> int:
    return max(operation.fewest, min(count, MOST_OPERATIONS if operation.most is None else operation.most))
