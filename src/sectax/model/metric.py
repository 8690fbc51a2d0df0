"""Metrics: what is observed of a subject, and how it is summarised."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

# Name of the observation of a subject's very first operation, of which there is one before all others. Parts of that
# operation are observations named `first.…`.
FIRST = "first"


class Better(StrEnum):
    LOWER = "lower"
    HIGHER = "higher"


class Summary(StrEnum):
    """How the observations of one block give its one value (theta in docs/method.md)."""

    RATE = "rate"  # total count over total value: periodic work counts in full
    MEAN = "mean"  # total value over total count
    MEDIAN = "median"  # of value/count
    MAXIMUM = "maximum"  # a high-water mark
    P90 = "p90"  # of value/count; a tail needs the observations of the whole run, so a block by itself has no value
    P99 = "p99"
    WORST = "worst"  # highest of the whole run, where MAXIMUM is each block's
    LEAST = "least"  # lowest of the whole run

    @property
    def tail(self) -> float | None:
        """The quantile in [0, 1]; None for summaries of a single block."""
        return _TAILS.get(self)


_TAILS = {Summary.P90: 0.9, Summary.P99: 0.99, Summary.WORST: 1.0, Summary.LEAST: 0.0}


@dataclass(frozen=True)
class Metric:
    """One quantity that is compared.

    Attributes:
        name: name as shown and recorded, e.g. `throughput`.
        unit: unit of the block's value, e.g. `operations/s`, `s`, `B`.
        better: direction in which it improves.
        summary: how a block's observations give one value.
        observed: name of the observations, e.g. `batch_time`.
        resolution: smallest step of one observation, in the observations' unit; 0 where it is continuous.
        compared: whether treatments are compared in it; otherwise each is reported by itself.
        cpu: whether it is CPU time, which does not advance while the subject waits, instead of elapsed time.
        part_of: metric of the whole operation, where this one is of a part of it; otherwise empty.
    """

    name: str
    unit: str
    better: Better
    summary: Summary
    observed: str
    resolution: float = 0.0
    compared: bool = True
    cpu: bool = False
    part_of: str = ""

    @property
    def once_per_process(self) -> bool:
        """Whether a subject gives a single observation of it, from one operation."""
        return self.observed.partition(".")[0] == FIRST
