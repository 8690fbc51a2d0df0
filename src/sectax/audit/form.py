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


def share_of(statistic: str | None) -> float | None:
    """The share of values that lie below a quantile; None where it is no quantile."""
    found = re.fullmatch(r"p(\d{1,3}(?:\.\d{1,9})?)", statistic or "")
    return float(found[1]) / 100 if found else {"min": 0.0, "median": 0.5, "max": 1.0}.get(statistic or "")


@dataclass(frozen=True)
class Claim:
    """One printed number in the unit of its series, or the single values of a series taken together.

    Attributes:
        id: unique in the evidence; messages name the figure by it.
        statistic: mean, median, min, max, p90, p99.9, total, rate, one, stddev; or `VALUES`, whose value is their
            median. None where the source does not say.
        step: the step with which it was printed; 0 where it has all its digits.
    """

    id: str
    statistic: str | None
    value: float
    step: float = 0.0


@dataclass(frozen=True)
class Work:
    """What was done to obtain a series.

    Attributes:
        operation, moves, contains: its name; whether it carries a body; operations that it does as a part of itself.
        size_bytes: how much one operation moves; `operations` and `bytes` are of the whole trial.
        failed, failures: failures by kind (empty with `failures` None means unknown), and all together.
        dropped: that a schedule asked for, and that were not sent.
        duration_s, configured_s, ends_by: how long the trial took, how long it was to take, and what ended it.
        connections, threads: that worked at the same time.
        by_schedule: whether operations were due at given times, whether or not earlier ones had ended.
        target_rate, achieved_rate: operations per second.
        client_cpu_share: CPU use of the load client as a share of its quota.
        overlap_share: of the operations that the client should have under way at once, those that were.
        link_bytes_s: the measured bandwidth of the memory or link that it must go through.
        batch, calibrated: operations that were timed together in one value; whether their number was to fit a time.
        cold: where the cold operations are.
        replicates, replicate: how many independent ones (processes, hosts, instances) there are, and of what.
    """

    operation: str | None = None
    moves: Moves | None = None
    contains: tuple[str, ...] | None = None
    size_bytes: float | None = None
    operations: float | None = None
    bytes: float | None = None
    failed: Mapping[str, float] = field(default_factory=dict)
    failures: float | None = None
    dropped: float | None = None
    duration_s: float | None = None
    configured_s: float | None = None
    ends_by: EndsBy | None = None
    connections: float | None = None
    threads: float | None = None
    by_schedule: bool | None = None
    target_rate: float | None = None
    achieved_rate: float | None = None
    client_cpu_share: float | None = None
    overlap_share: float | None = None
    link_bytes_s: float | None = None
    batch: float | None = None
    calibrated: bool | None = None
    cold: Cold | None = None
    replicates: int | None = None
    replicate: str | None = None


@dataclass(frozen=True)
class Setting:
    """With what a series was measured, and under which options (how the tool was set up, in its own words, by name).

    Attributes:
        instrument: what the timed calls pass through (a tracer, a proxy, a logger); 'none' where that is reported.
        granularity_s, key_bits, curve: the step of the clock; of the key, as read from it or as its name fixes it.
        service, withdrawn: the managed service; a setting of it, and since when it no longer offers that.
    """

    processor: str | None = None
    runtime: str | None = None
    library: str | None = None
    instrument: str | None = None
    granularity_s: float | None = None
    key_bits: int | None = None
    curve: str | None = None
    service: str | None = None
    withdrawn: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Series:
    """What was measured of one thing: claims about it, and the single values as far as the source has them.

    Attributes:
        id: unique in the evidence, but where several hold the claims of one thing (see `same_thing`).
        table, levels: series of one table share metric and quantity, and differ in their levels (by factor) alone.
        values: the single values in the order in which they were taken, in base units; printed with `step`, or 0.
        count: how many single values are behind the claims.
        run, line: what the tool measured at once shares the name; where it begins in the source, from 1.
    """

    id: str
    table: str
    levels: Mapping[str, str]
    metric: str
    quantity: Quantity
    claims: tuple[Claim, ...] = ()
    values: Sequence[float] = ()
    step: float = 0.0
    count: int | None = None
    work: Work = field(default_factory=Work)
    setting: Setting = field(default_factory=Setting)
    run: str = ""
    line: int | None = None

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
    """What the source compares: the factor whose levels are set against each other, and the level without the control.

    Attributes:
        baseline: None where the source measured none; its lack cannot be checked where nothing is `reported` of it.
        entails: attributes of work and setting that the levels bring with them: an algorithm has a key size.
    """

    factor: str
    baseline: str | None
    reported: bool = True
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
class Broken:
    """A promise (in the words of the grammar) that an output breaks: `left` should be in the relation to `right`.

    It is `fatal` where no honest reason is known; `figures` are the ids of the claims that fall with it.
    """

    promise: str
    left: float
    right: float
    run: str
    line: int | None = None
    fatal: bool = True
    figures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """Everything of one source; `imported` where a tool wrote it, all of it at once."""

    series: tuple[Series, ...] = ()
    contrast: Contrast | None = None
    troubles: tuple[Trouble, ...] = ()
    broken: tuple[Broken, ...] = ()
    imported: bool = False

    @cached_property
    def figures(self) -> tuple[Claim, ...]:
        return tuple(claim for series in self.series for claim in series.figures)

    @cached_property
    def speeds(self) -> tuple[Series, ...]:
        return tuple(series for series in self.series if series.quantity in SPEEDS)
