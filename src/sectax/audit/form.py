"""The normal form of somebody's numbers: series with their claims, the work behind them, and the setting.

Importers make it, checks read it, and nothing else passes between the two. None means unknown, which is never the same
as none, no or zero.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property


class Quantity(StrEnum):
    """What a series is of. It decides which checks apply."""

    TIME = "time"  # of one operation, in seconds
    TOTAL_TIME = "total-time"  # of a whole trial, in seconds
    RATE = "rate"  # operations per second
    BANDWIDTH = "bandwidth"  # bytes per second
    MEMORY = "memory"  # bytes; a high-water mark ties innocently
    COUNT = "count"  # of operations or events
    OTHER = "other"


SPEEDS = frozenset({Quantity.TIME, Quantity.TOTAL_TIME, Quantity.RATE, Quantity.BANDWIDTH})


class Moves(StrEnum):
    """What an operation carries: of a body, time must grow with the size."""

    BODY = "body"
    METADATA = "metadata"


class EndsBy(StrEnum):
    """What ends a trial: then its total time either is a result or was configured."""

    TIME = "time"
    EVENTS = "events"


class Cold(StrEnum):
    """Where the first, cold operations are."""

    MIXED = "mixed"  # in one summary with the warm ones
    APART = "apart"  # reported separately, or discarded
    ONLY = "only"  # nothing else was measured


# Statistics from which nobody concludes by themselves; and that of a claim that stands for the single values.
SPREADS = frozenset({"stddev", "error", "low", "high", "mad", "iqr"})
VALUES = "values"


def quantile_share(statistic: str | None) -> float | None:
    """The share of values that lie below a quantile; None where it is no quantile."""
    match = re.fullmatch(r"p(\d{1,3}(?:\.\d{1,9})?)", statistic or "")
    return float(match[1]) / 100 if match else {"min": 0.0, "median": 0.5, "max": 1.0}.get(statistic or "")


@dataclass(frozen=True)
class Claim:
    """One printed number in the unit of its series, or the single values of a series taken together."""

    id: str  # unique in the evidence; messages name the figure by it
    # Mean, median, min, max, p90, p99.9, total, rate, one, stddev; `VALUES`; None where the source does not say.
    statistic: str | None
    value: float  # of `VALUES`: their median
    step: float = 0.0  # the step with which it was printed; 0 where it has all its digits


@dataclass(frozen=True)
class TrialWork:
    """What was done to obtain a series."""

    operation: str | None = None
    moves: Moves | None = None  # whether it carries a body
    contains: tuple[str, ...] | None = None  # operations that it does as a part of itself
    size_bytes: float | None = None  # of one operation
    operations: float | None = None  # of the whole trial
    bytes: float | None = None  # of the whole trial
    failed: Mapping[str, float] = field(default_factory=dict)  # by kind; empty with `failures` None is unknown
    failures: float | None = None  # of all kinds
    dropped: float | None = None  # that a schedule asked for, and that were not sent
    duration_s: float | None = None  # of the trial
    configured_s: float | None = None  # how long the trial was to take
    ends_by: EndsBy | None = None
    connections: float | None = None  # that worked at the same time, as threads do
    threads: float | None = None
    by_schedule: bool | None = None  # whether operations were due at given times, whether or not earlier ones had ended
    target_rate: float | None = None  # operations per second
    achieved_rate: float | None = None
    client_cpu_share: float | None = None  # of its quota
    # Of the operations that the client should have under way at once, those that were.
    overlap_share: float | None = None
    link_bytes_s: float | None = None  # the measured bandwidth of the memory or link that it must go through
    batch: float | None = None  # operations that were timed together in one value
    calibrated: bool | None = None  # whether their number was to fit a time
    cold: Cold | None = None
    replicates: int | None = None  # how many independent ones (processes, hosts, instances) there are, and of what
    replicate: str | None = None


@dataclass(frozen=True)
class Setting:
    """With what a series was measured, and under which options (how the tool was set up, in its own words, by name)."""

    processor: str | None = None
    runtime: str | None = None
    library: str | None = None
    # What the timed calls pass through (a tracer, a proxy, a logger); 'none' where that is reported.
    instrument: str | None = None
    granularity_s: float | None = None  # the step of the clock
    key_bits: int | None = None  # as read from the key, or as its name fixes it
    curve: str | None = None
    service: str | None = None  # the managed one
    withdrawn: str | None = None  # a setting of the service, and since when it no longer offers that
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Series:
    """What was measured of one thing: claims about it, and the single values as far as the source has them."""

    id: str  # unique in the evidence, but where several hold the claims of one thing (`same_thing`)
    table: str  # its series share metric and quantity, and differ in their levels alone
    levels: Mapping[str, str]  # by factor
    metric: str
    quantity: Quantity
    claims: tuple[Claim, ...] = ()
    values: Sequence[float] = ()  # the single values in the order in which they were taken, in base units
    step: float = 0.0  # with which the values were printed, or 0
    count: int | None = None  # how many single values are behind the claims
    work: TrialWork = field(default_factory=TrialWork)
    setting: Setting = field(default_factory=Setting)
    run: str = ""  # what the tool measured at once shares the name

    @cached_property
    def figures(self) -> tuple[Claim, ...]:
        """What somebody concludes from: where there are single values, these; otherwise every claim but spreads."""
        if len(self.values):
            import numpy as np

            centre = float(np.median(np.asarray(self.values, dtype=np.float64)))
            return (Claim(self.id, VALUES, centre, self.step),)
        return tuple(claim for claim in self.claims if claim.statistic not in SPREADS)

    @property
    def trials(self) -> int | None:
        """How many single values there are, or are said to be."""
        return len(self.values) or self.count

    @cached_property
    def typical(self) -> float | None:
        """The number by which the series is compared with others."""
        by_statistic = {claim.statistic: claim.value for claim in self.claims}
        for statistic in ("median", "mean", "rate", "one", "total", None):
            if statistic in by_statistic:
                return by_statistic[statistic]
        return self.figures[0].value if self.figures else None

    def claim(self, statistic: str) -> Claim | None:
        return next((claim for claim in self.claims if claim.statistic == statistic), None)

    @property
    def same_thing(self) -> tuple[str, Quantity, frozenset[tuple[str, str]], str]:
        """What series share whose claims are of the same values."""
        return self.metric, self.quantity, frozenset(self.levels.items()), self.run

    def seconds_per_operation(self, value: float | None = None) -> float | None:
        """How long one operation took by a value (by default the typical one); None where that does not follow."""
        value = self.typical if value is None else value
        if value is None or self.quantity is Quantity.TIME:
            return value
        if value <= 0:
            return None
        if self.quantity is Quantity.RATE:
            return 1 / value
        if self.quantity is Quantity.BANDWIDTH and self.work.size_bytes is not None:
            return self.work.size_bytes / value
        return None


@dataclass(frozen=True)
class Contrast:
    """What the source compares: levels of a factor, and which of them is the one without the control."""

    factor: str
    baseline: str | None  # None where the source measured none
    reported: bool = True  # whether a lack of a baseline can be known at all
    # Attributes of work and setting that the levels bring with them: an algorithm has a key size.
    entails: tuple[str, ...] = ()


class TroubleKind(StrEnum):
    """What is wrong with an output, apart from its numbers."""

    FAILED = "failed"  # the tool itself reports that its work failed
    WARNED = "warned"  # the tool itself warns of its numbers
    CUT = "cut"  # a part was not copied
    UNREAD = "unread"  # a result that could not be read


@dataclass(frozen=True)
class Trouble:
    """A line in which an output says that something went wrong, or a part that is missing."""

    kind: TroubleKind
    line: int
    text: str


@dataclass(frozen=True)
class BrokenPromise:
    """A promise (in the words of the grammar) that an output breaks: `left` should be in the relation to `right`.

    It is `fatal` where no honest reason is known; `figures` are the ids of the claims that fall with it.
    """

    promise: str
    left: float
    right: float
    run: str
    fatal: bool = True
    figures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """Everything of one source; `imported` where a tool wrote it, all of it at once."""

    series: tuple[Series, ...] = ()
    contrast: Contrast | None = None
    troubles: tuple[Trouble, ...] = ()
    broken: tuple[BrokenPromise, ...] = ()
    imported: bool = False
    columns: str = ""  # of a table: which were read as what, in words

    @cached_property
    def figures(self) -> tuple[Claim, ...]:
        return tuple(claim for series in self.series for claim in series.figures)

    @cached_property
    def speeds(self) -> tuple[Series, ...]:
        return tuple(series for series in self.series if series.quantity in SPEEDS)
