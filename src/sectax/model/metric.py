"""What is observed of a subject, and how it is summarised: assumptions as objects."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

# The name of the observation of which a subject gives one, before all others: its very first operation. What it has to
# say of the parts of that one are observations named `first.…`.
FIRST = "first"


class Better(StrEnum):
    LOWER = "lower"
    HIGHER = "higher"


class Summary(StrEnum):
    """How the observations of one block become its one value (theta in the method's page)."""

    RATE = "rate"  # total count over total value: periodic work counts in full
    MEAN = "mean"  # total value over total count
    MEDIAN = "median"  # of value/count
    MAXIMUM = "maximum"  # a high-water mark
    P90 = "p90"  # of value/count; a tail needs the observations of the whole run, so a block by itself has no value
    P99 = "p99"
    WORST = "worst"  # the highest of the whole run, where MAXIMUM is each block's
    LEAST = "least"  # the lowest of the whole run

    @property
    def tail(self) -> float | None:
        """The quantile that it is, in [0, 1]; None for what a block tells by itself."""
        return _TAILS.get(self)


_TAILS = {Summary.P90: 0.9, Summary.P99: 0.99, Summary.WORST: 1.0, Summary.LEAST: 0.0}


@dataclass(frozen=True)
class Metric:
    """One quantity that is compared.

    Attributes:
        name: as it is shown and recorded, e.g. `throughput`.
        unit: of the block's value, e.g. `operations/s`, `s`, `B`.
        better: the direction in which it improves.
        summary: how a block's observations become one value.
        observed: the name of the observations it is made of, e.g. `batch_time`.
        resolution: the smallest step of one observation, in the observations' unit; 0 where it is continuous.
        compared: whether treatments are compared in it; otherwise each is reported by itself.
        cpu: whether what is observed is CPU time, which stands still while the subject waits, and not time that passes.
        part_of: the name of the metric that is of the whole operation, where this one is of a part of it; else empty.
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
        """Whether a subject gives one observation of it, of one operation, however many it is asked for later."""
        return self.observed.partition(".")[0] == FIRST
