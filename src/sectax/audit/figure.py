"""A number from which somebody draws a conclusion, and what is told of how it came about.

Published tables, files of other tools and runs of our own all become figures; the checks know no other source.
None means not told, which is never the same as none, no or zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from statistics import median

# Of more values than this a median without a whole sort is worth loading numpy for.
_MANY = 10_000


class Quantity(StrEnum):
    """What a figure is a quantity of. It decides which checks apply."""

    TIME = "time"  # of one operation, in seconds
    TOTAL_TIME = "total-time"  # of a whole trial, in seconds
    RATE = "rate"  # operations per second
    BANDWIDTH = "bandwidth"  # bytes per second
    MEMORY = "memory"  # bytes; a high-water mark ties innocently
    COUNT = "count"  # of operations or events
    OTHER = "other"


class Moves(StrEnum):
    """What an operation carries over the wire or through memory."""

    BODY = "body"  # time must grow with the size
    METADATA = "metadata"  # may be flat in the size


class EndsBy(StrEnum):
    """What ends a trial: then its total time either is a result or was configured."""

    TIME = "time"
    EVENTS = "events"


class Cold(StrEnum):
    """Where the first, cold operations are."""

    MIXED = "mixed"  # in one summary with the warm ones
    APART = "apart"  # told by themselves, or thrown away
    ONLY = "only"  # nothing else was measured


@dataclass(frozen=True)
class Circumstances:
    """What is told of how a figure came about. Every attribute is None where the source does not tell it.

    Attributes:
        operation: its name, as `contains` of another figure would name it.
        moves: whether the operation carries a body or metadata alone.
        contains: operations that this one must do as a part of itself.
        size_bytes: how much one operation moves.
        named_bytes, named: a size that stands in its name, which an operation may work on or not, and the name without
            it.
        link_bytes_s: the measured bandwidth of the memory or link that it must go through; in a run of ours, what the
            computation over the body cannot pass.
        bytes_each: what one operation moved, as the source's totals have it.
        wall_s: how long the trial took, as printed beside its rate.
        ends_by, configured_s: what ends a trial, and after how long where that was configured.
        events: operations that were counted in the trial.
        errors, dropped, late: of them, those that failed; and those that a schedule asked for and that were not sent
            at all or not on time.
        cold: where the cold operations are.
        warm_up_trials: how many trials were thrown away first.
        instrument: what the timed calls pass through (a tracer, a proxy, a logger); 'none' where that is told.
        replicates, replicate: how many independent ones (processes, hosts, instances) the side has, and of what.
        replicate_names: which they were.
        per_replicate: how many of the single values each of them gave, in their order.
        in_flight: for each connection of a load client that sends one request after the other by a schedule, how many
            its rate and mean latency mean are under way or due at once.
        load_client: the program that asked a server for this as often as it could, or as it was told.
        client_cpu_share: CPU use of the client as a share of its quota.
        target_rate, achieved_rate: operations per second.
        granularity_s: the step of the clock.
        printed_s: the step in which times are printed, where the tool fixes it.
        batch: operations that were timed together in one value.
        calibrated: whether that number was made to fit a time, so that a faster operation has more of them.
        processor, runtime, library: as reported.
        key_bits: of the key, as read from it or as its name fixes it.
        curve: the elliptic curve of the key, by any of its names.
        service, year, month: the managed service that was measured and when, where its defaults have changed since.
        settings: what was asked of that service, by the names of `service_defaults`.
        set_up: how the tool was told to work (connections, threads, seconds), each in words; figures that are compared
            share it, but for what is compared.
        line: where the output begins that tells it, in a text.
    """

    operation: str | None = None
    moves: Moves | None = None
    contains: tuple[str, ...] | None = None
    size_bytes: float | None = None
    named_bytes: float | None = None
    named: str | None = None
    link_bytes_s: float | None = None
    bytes_each: float | None = None
    wall_s: float | None = None
    ends_by: EndsBy | None = None
    configured_s: float | None = None
    events: float | None = None
    errors: float | None = None
    dropped: float | None = None
    late: float | None = None
    cold: Cold | None = None
    warm_up_trials: int | None = None
    instrument: str | None = None
    replicates: int | None = None
    replicate: str | None = None
    replicate_names: frozenset[str] | None = None
    per_replicate: tuple[int, ...] | None = None
    in_flight: float | None = None
    load_client: str | None = None
    client_cpu_share: float | None = None
    target_rate: float | None = None
    achieved_rate: float | None = None
    granularity_s: float | None = None
    printed_s: float | None = None
    batch: float | None = None
    calibrated: bool | None = None
    processor: str | None = None
    runtime: str | None = None
    library: str | None = None
    key_bits: int | None = None
    service: str | None = None
    year: int | None = None
    month: int | None = None
    curve: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    set_up: Mapping[str, str] = field(default_factory=dict)
    line: int | None = None


@dataclass(frozen=True)
class Figure:
    """One printed number, or the single values behind it.

    Attributes:
        id: unique in the evidence; messages name the figure by it ('get: 100MB, sse_s3').
        table: figures of one table share metric and quantity, and differ in their levels alone.
        levels: factor -> level, as labelled by the source.
        metric: its name in the source.
        quantity: what it is.
        unit: of `value` and `values`: s, operations/s, bytes/s, bytes or 1.
        value: as printed, in that unit; None where only the single values are told.
        statistic: what `value` is of the single values: mean, median, min, max, p90, p99, rate, total, one.
        trials: how many single values are behind it.
        values: the single values in the order in which they were taken, as far as they are told; of a run of ours one
            for each block.
        measurement: what the tool measured at once shares this name: its summaries can contradict each other.
        stated: statistic -> what the source says it is, beside the single values.
        treatment: of a run of ours, the treatment that it is of: the key of the evidence's arms.
        blocks: of a run of ours, the block of each of `values`.
        samples: of a tail of a run of ours, which no block tells by itself, the observations of every block.
    """

    id: str
    table: str
    levels: Mapping[str, str]
    metric: str
    quantity: Quantity
    unit: str
    value: float | None = None
    statistic: str | None = None
    trials: int | None = None
    values: Sequence[float] = ()
    circumstances: Circumstances = field(default_factory=Circumstances)
    measurement: str = ""
    stated: Mapping[str, float] = field(default_factory=dict)
    treatment: str = ""
    blocks: tuple[int, ...] = ()
    samples: tuple[Sequence[float], ...] = ()

    @cached_property
    def typical(self) -> float | None:
        """What is printed, or else the median of the single values; None where neither is told."""
        if self.value is not None:
            return self.value
        if len(self.values) > _MANY:
            import numpy as np

            return float(np.median(np.asarray(self.values, dtype=np.float64)))
        return float(median(self.values)) if len(self.values) else None

    def seconds(self) -> dict[int, float]:
        """Of one operation, by block of a run of ours, where that follows from the block's value."""
        times = {block: value for block, value in zip(self.blocks, self.values, strict=True) if value > 0}
        if self.quantity is Quantity.TIME:
            return times
        return {block: 1 / value for block, value in times.items()} if self.quantity is Quantity.RATE else {}


@dataclass(frozen=True)
class Contrast:
    """What the source compares: the factor whose levels stand against each other, and the level that is the baseline.

    Attributes:
        factor: the control.
        baseline: its level without the control; None where the source measured none.
        told: whether the source says anything of a baseline; where not, its lack cannot be checked.
        entails: circumstances (names of attributes) that the levels bring with them, so that a difference in one is
            part of what is compared: an algorithm has a key size.
        guessed: whether only names make its levels, so that unlike things may stand beside each other and nobody says
            that they are compared.
    """

    factor: str
    baseline: str | None
    told: bool = True
    entails: tuple[str, ...] = ()
    guessed: bool = False
