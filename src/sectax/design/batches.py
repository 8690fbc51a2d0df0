"""How many operations make a batch."""

from __future__ import annotations

# A batch must be long beside the clock's step and the cost of reading it, or it measures the clock.
GRANULARITY_STEPS = 1000
CLOCK_READS = 100
SHORTEST_BATCH_S = 1e-3
# Past this a batch would not fit into any block; one operation that lasts longer is a batch of one.
MOST_OPERATIONS = 10_000_000
_GROWTH = 8


def shortest_batch(granularity_s: float, clock_read_s: float) -> float:
    """Seconds that a batch must last at least."""
    return max(GRANULARITY_STEPS * granularity_s, CLOCK_READS * clock_read_s, SHORTEST_BATCH_S)


def next_count(count: int, elapsed_s: float, enough_s: float, most: int = MOST_OPERATIONS) -> int | None:
    """The next number of operations to try, or None when `count` of them last long enough to judge by."""
    if elapsed_s >= enough_s or count >= most:
        return None
    if elapsed_s <= 0:
        return min(count * _GROWTH, most)
    wanted = int(count * enough_s / elapsed_s * 1.2) + 1
    return min(max(count + 1, min(wanted, count * _GROWTH)), most)


def frozen_count(per_operation_s: float, aim_s: float, shortest_s: float, most: int = MOST_OPERATIONS) -> int:
    """Operations per batch for a batch of about `aim_s`, never shorter than `shortest_s` unless `most` says so."""
    wanted = max(aim_s, shortest_s) / max(per_operation_s, 1e-12)
    return max(1, min(round(wanted), most))
