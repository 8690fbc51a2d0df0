"""The normal form of published numbers: series, claims, work and setting.

Importers create it and checks read it; nothing else passes between them. None means unknown, never none, no or zero.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from sectax.model.finding import Finding
from sectax.model.measured import BatchShape, BatchStatistics
from sectax.model.subject import Witness


class Quantity(StrEnum):
    """What a series measures; it decides which checks apply."""

    TIME = "time"  # of one operation, in seconds
    TOTAL_TIME = "total-time"  # of a whole trial, in seconds
    RATE = "rate"  # operations per second
    BANDWIDTH = "bandwidth"  # bytes per second
    MEMORY = "memory"  # bytes; equal peaks are common
    COUNT = "count"  # of operations or events
    OTHER = "other"


OF_ONE_OPERATION = frozenset({Quantity.TIME, Quantity.RATE})
SPEEDS = frozenset({Quantity.TIME, Quantity.TOTAL_TIME, Quantity.RATE, Quantity.BANDWIDTH})


class Moves(StrEnum):
    """Whether an operation moves a body: then time must grow with size."""

    BODY = "body"
    METADATA = "metadata"


class EndsBy(StrEnum):
    """What ends a trial; a total time ended by the clock was configured."""

    TIME = "time"
    EVENTS = "events"


class Cold(StrEnum):
    """Where the first, cold operations are counted."""

    MIXED = "mixed"  # in one summary with the warm ones
    APART = "apart"  # reported separately, or discarded
    ONLY = "only"  # nothing else was measured


# Statistics of spread, which support no conclusion alone.
SPREADS = frozenset({"stddev", "error", "low", "high", "mad", "iqr"})
# As in `stats.batch_shape`, which needs so many batches in a block.
FEWEST_OF_SHAPE = 4
# The statistic of a claim about all single values.
VALUES = "values"


def quantile_share(statistic: str | None) -> float | None:
    """The share of values below a quantile; None if it is not a quantile."""
    match = re.fullmatch(r"p(\d{1,3}(?:\.\d{1,9})?)", statistic or "")
    return float(match[1]) / 100 if match else {"min": 0.0, "median": 0.5, "max": 1.0}.get(statistic or "")


@dataclass(frozen=True)
class Claim:
    """One printed number, or the single values of a series as a whole."""

    id: str  # unique in the evidence; used in messages
    # Mean, median, min, max, p90, p99.9, total, rate, one, stddev; `VALUES`; None where unknown.
    statistic: str | None
    value: float  # of `VALUES`: their median
    step: float = 0.0  # the step of its last printed digit; 0 at full precision


@dataclass(frozen=True)
class TrialWork:
    """The work behind a series."""

    operation: str | None = None
    moves: Moves | None = None  # whether it moves a body
    contains: tuple[str, ...] | None = None  # operations that it includes
    size_bytes: float | None = None  # of one operation
    operations: float | None = None  # of the whole trial
    bytes: float | None = None  # of the whole trial
    failed: Mapping[str, float] = field(default_factory=dict)  # by kind; empty with `failures` None is unknown
    failures: float | None = None  # of all kinds
    dropped: float | None = None  # scheduled operations that were not sent
    duration_s: float | None = None  # of the trial
    configured_s: float | None = None  # the configured duration of the trial
    ends_by: EndsBy | None = None
    connections: float | None = None  # in parallel, as with threads
    threads: float | None = None
    by_schedule: bool | None = None  # whether operations start on a schedule, independent of earlier ones
    target_rate: float | None = None  # operations per second
    achieved_rate: float | None = None
    client_cpu_share: float | None = None  # of its quota
    # The share of the intended concurrent operations that ran at once.
    overlap_share: float | None = None
    # The measured bandwidth of the memory or link it uses; in a sectax run, beyond the operations that it contains.
    link_bytes_s: float | None = None
    waits: str | None = None  # why it may take longer than an operation that contains it, as advice
    batch: float | None = None  # operations per timed value
    calibrated: bool | None = None  # whether their number was chosen to fit a time
    cold: Cold | None = None
    replicates: int | None = None  # the number of independent units, and their kind (process, host)
    replicate: str | None = None

    @property
    def on_schedule(self) -> bool:
        """Whether operations start on a schedule, or at a rate that was asked for."""
        return bool(self.by_schedule) or self.target_rate is not None

    @property
    def answered_rate(self) -> float | None:
        """Operations per second, as reported or from their number; None where unknown."""
        return self.achieved_rate or (
            self.operations / self.duration_s if self.operations and self.duration_s else None
        )


@dataclass(frozen=True)
class Setting:
    """Hardware, software and options (as the tool names them) of a measurement."""

    processor: str | None = None
    runtime: str | None = None
    library: str | None = None
    # A tracer, proxy or logger in the path of timed calls; 'none' where that is reported.
    instrument: str | None = None
    granularity_s: float | None = None  # the step of the clock
    key_bits: int | None = None  # as read from the key, or as its name fixes it
    curve: str | None = None
    service: str | None = None  # the managed service
    withdrawn: str | None = None  # a setting that the service withdrew, and when
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Series:
    """Measurements of one thing: claims about it, and single values if known."""

    id: str  # unique, except among series of one thing (`same_thing`)
    table: str  # its series share metric and quantity, and differ only in levels
    levels: Mapping[str, str]  # by factor
    metric: str
    quantity: Quantity
    claims: tuple[Claim, ...] = ()
    values: Sequence[float] = ()  # single values in order of measurement, in base units
    step: float = 0.0  # the step of the printed values, or 0
    count: int | None = None  # the number of single values behind the claims
    work: TrialWork = field(default_factory=TrialWork)
    setting: Setting = field(default_factory=Setting)
    run: str = ""  # shared by everything measured in one run
    # Of a sectax run: its treatment (the subject of remarks), and the block of each of `values`.
    treatment: str = ""
    is_baseline: bool = False
    blocks: tuple[int, ...] = ()
    batches: BatchStatistics | None = None
    declared: Mapping[str, tuple[Witness, tuple[Witness, ...]]] = field(default_factory=dict)  # and witnessed values
    shapes: Mapping[int, BatchShape] | None = None  # of its batches, by block; empty where these are too few
    statistic: str = ""  # of the observations of each block, or of all of them
    samples: tuple[Sequence[float], ...] = ()  # for a tail, which one block cannot give: the observations of each block
    compared: bool = True  # whether treatments are compared in its metric

    @cached_property
    def figures(self) -> tuple[Claim, ...]:
        """The numbers that support conclusions: single values, or else the claims."""
        if len(self.values):
            import numpy as np

            centre = float(np.median(np.asarray(self.values, dtype=np.float64)))
            return (Claim(self.id, VALUES, centre, self.step),)
        return tuple(claim for claim in self.claims if claim.statistic not in SPREADS)

    @cached_property
    def block_seconds(self) -> dict[int, float]:
        """The time of one operation in each block of a sectax run."""
        values = zip(self.blocks, self.values, strict=False) if self.quantity in OF_ONE_OPERATION else ()
        return {block: value if self.quantity is Quantity.TIME else 1 / value for block, value in values if value > 0}

    @property
    def trials(self) -> int | None:
        """The number of single values, or the reported count."""
        return len(self.values) or self.count

    @cached_property
    def typical(self) -> float | None:
        """The number used in comparisons with other series."""
        by_statistic = {claim.statistic: claim.value for claim in self.claims}
        for statistic in ("median", "mean", "rate", "one", "total", None):
            if statistic in by_statistic:
                return by_statistic[statistic]
        return self.figures[0].value if self.figures else None

    @property
    def in_flight(self) -> float | None:
        """The fewest requests that were under way at once on average: rate times mean latency (Little's law)."""
        mean, rate = self.claim("mean"), self.work.answered_rate
        return (mean.value - mean.step) * rate if self.quantity is Quantity.TIME and mean and rate else None

    def claim(self, statistic: str) -> Claim | None:
        return next((claim for claim in self.claims if claim.statistic == statistic), None)

    @property
    def same_thing(self) -> tuple[str, Quantity, frozenset[tuple[str, str]], str]:
        """The key shared by series whose claims describe the same values."""
        return self.metric, self.quantity, frozenset(self.levels.items()), self.run

    def seconds_per_operation(self, value: float | None = None) -> float | None:
        """Return the time of one operation for a value; None where unknown."""
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
    """What the source compares: the factor, and its baseline level."""

    factor: str
    baseline: str | None  # None where it was not measured
    reported: bool = True  # False where the source is allowed to omit its baseline
    # Attributes of work and setting that depend on the level, as key size on the algorithm.
    entails: tuple[str, ...] = ()


class TroubleKind(StrEnum):
    """Kinds of problems of an output other than its numbers."""

    FAILED = "failed"  # the tool reports that its work failed
    WARNED = "warned"  # the tool warns about its numbers
    CUT = "cut"  # a part was not copied
    UNREAD = "unread"  # a result that could not be read


@dataclass(frozen=True)
class Trouble:
    """A line that reports a problem, or a missing part."""

    kind: TroubleKind
    line: int
    text: str


@dataclass(frozen=True)
class BrokenPromise:
    """A relation between numbers that an output breaks.

    It is `fatal` where there is no legitimate reason; `figures` are the ids of the affected claims.
    """

    promise: str
    left: float
    right: float
    run: str
    fatal: bool = True
    figures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """All evidence of one source; `imported` where a tool wrote it."""

    series: tuple[Series, ...] = ()
    contrast: Contrast | None = None
    troubles: tuple[Trouble, ...] = ()
    broken: tuple[BrokenPromise, ...] = ()
    imported: bool = False
    columns: str = ""  # of a table: how its columns were read, in words
    findings: tuple[Finding, ...] = ()  # of a sectax run, before any warning
    margin: float = 0.0  # of a sectax run: the smallest cost that matters, as a share
    is_run = False  # whether it is of a sectax run, which knows every block; published numbers have wider limits

    @cached_property
    def figures(self) -> tuple[Claim, ...]:
        return tuple(claim for series in self.series for claim in series.figures)

    @cached_property
    def speeds(self) -> tuple[Series, ...]:
        return tuple(series for series in self.series if series.quantity in SPEEDS)

    @property
    def differences(self) -> Mapping[str, Sequence[float]]:
        """Paired differences of a sectax run by comparison, in block order, in logs; positive is slower."""
        return {}

    @property
    def medians(self) -> Sequence[tuple[str, Series, Series]]:
        """Comparisons of medians of batches in a sectax run, with the batches of treatment and baseline."""
        return ()

    @cached_property
    def commands(self) -> dict[Series, str]:
        """The command lines whose time was measured."""
        return {
            series: level
            for series in self.series
            for factor, level in series.levels.items()
            if factor.lower() == "command" and series.quantity is Quantity.TIME and series.typical is not None
        }

    @property
    def trials(self) -> tuple[Series, ...]:
        """What was run, with its clock, operations and failures."""
        return self.series
