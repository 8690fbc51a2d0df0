"""What a run says to whoever must decide: where the time goes, how it grows, and what it costs in money."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sectax.model.bill import Bill
from sectax.model.finding import Estimate
from sectax.model.plan import Plan


@dataclass(frozen=True)
class AdviceRules:
    """What an experiment knows of its own treatments.

    Attributes:
        metric: in which all is told but the bill; in seconds. billed: what a request is billed for, on the average.
        limits: the metrics that a limit may be put on, by the words that ask for them.
        stages: the control's levels that do more and more of the work, and what each does beyond the one before.
        rest: what a treatment that is no stage does beyond the last of them.
        timed: the control's level that tells of its own steps; steps: the metrics that hold them, and what each does;
            whole_of_steps: the metric that holds all from the first step to the last; rest_of_timed: what of that is in
            no step. What is not in that whole is the first stage.
        memory_factor: the factor whose levels are MB.
    """

    metric: str
    billed: str
    limits: Mapping[str, str]
    stages: tuple[tuple[str, str], ...]
    rest: str
    timed: str
    steps: tuple[tuple[str, str], ...]
    whole_of_steps: str
    rest_of_timed: str
    memory_factor: str


@dataclass(frozen=True)
class Part:
    """One part of an operation: seconds, and its share of the whole."""

    words: str
    seconds: Estimate
    share: Estimate


@dataclass(frozen=True)
class Anatomy:
    """Where the time of a treatment goes, in one cell."""

    cell: str
    treatment: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Growth:
    """An operation as `fixed` seconds and `per_byte` seconds for every byte, at the levels of all other factors.

    `step` says of which of its steps it is told, and is empty for the whole. `extra_per_byte` is what of a whole the
    baseline does not take; None for the baseline itself and for a step.
    """

    levels: Mapping[str, str]
    step: str
    fixed: Estimate
    per_byte: Estimate
    extra_per_byte: Estimate | None


@dataclass(frozen=True)
class Priced:
    """What a million requests cost: `billed_s` each on the average, every one of them rounded up as it is billed.

    `least` and `most` are the totals at the ends of the interval of what is billed.
    """

    cell: str
    treatment: str
    memory_mb: int
    billed_s: float
    bill: Bill
    least: float
    most: float


@dataclass(frozen=True)
class Sent:
    """How large the event of a size is: bytes, and times the size."""

    level: str
    event_bytes: int
    times: float


@dataclass(frozen=True)
class Held:
    """How many of the periods of its quota a treatment ran out of, all blocks together."""

    cell: str
    treatment: str
    throttled_periods: int
    periods: int


@dataclass(frozen=True)
class Unknown:
    """A memory size of which it cannot be said: it failed in blocks, or its interval is none or holds the limit."""

    estimate: Estimate
    failed_blocks: int


@dataclass(frozen=True)
class Smallest:
    """The smallest memory that keeps a treatment under a limit at one combination of the other levels; None: none.

    `unknown` are the smaller ones in MB (all, where there is none) of which it cannot be said.
    """

    levels: Mapping[str, str]
    memory_mb: int | None
    unknown: Mapping[int, Unknown]


@dataclass(frozen=True)
class Limit:
    """What `smallest` answers: which statistic, below what."""

    statistic: str
    under_s: float


@dataclass(frozen=True)
class Advice:
    """All of it.

    `limit` is None where nobody asked for the smallest memory; `lacking` are the metrics that were asked for and that
    the run has of no treatment.
    """

    run_id: str
    plan: Plan
    anatomies: tuple[Anatomy, ...]
    growths: tuple[Growth, ...]
    sent: tuple[Sent, ...]
    held: tuple[Held, ...]
    priced: tuple[Priced, ...]
    limit: Limit | None
    smallest: tuple[Smallest, ...]
    lacking: tuple[str, ...] = ()
    unpriced: bool = False
