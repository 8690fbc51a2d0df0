"""The exact interval of a share."""

from __future__ import annotations


def clopper_pearson(events: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """The share of events with the exact two-sided interval, which covers at least as often as its level says.

    Raises:
        ValueError: more events than trials, a negative number, or no trial.
    Source: Clopper and Pearson 1934.
    """
    from scipy.special import betaincinv

    if not 0 <= events <= trials or trials < 1:
        raise ValueError(f"{events} events in {trials} trials is not a share")
    tail = (1 - level) / 2
    low = 0.0 if events == 0 else float(betaincinv(events, trials - events + 1, tail))
    high = 1.0 if events == trials else float(betaincinv(events + 1, trials - events, 1 - tail))
    return low, high
