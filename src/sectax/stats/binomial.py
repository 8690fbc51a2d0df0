"""Exact binomial intervals."""

from __future__ import annotations


def clopper_pearson(events: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """The exact two-sided interval of a share (Clopper and Pearson).

    Raises:
        ValueError: more events than trials, a negative number, or zero trials.
    Source: Clopper and Pearson 1934.
    """
    from scipy.special import betaincinv

    if not 0 <= events <= trials or trials < 1:
        raise ValueError(f"invalid share: {events} events in {trials} trials")
    tail = (1 - level) / 2
    low = 0.0 if events == 0 else float(betaincinv(events, trials - events + 1, tail))
    high = 1.0 if events == trials else float(betaincinv(events + 1, trials - events, 1 - tail))
    return low, high
