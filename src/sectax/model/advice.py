"""What a run says to those who must decide: where the time goes, how it grows, and what it costs in money."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sectax.model.advice_rules import AdviceRules
from sectax.model.bill import Bill
from sectax.model.finding import Estimate, Finding
from sectax.model.plan import Plan


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

    `step` names one of its steps, and is empty for the whole. `extra_per_byte` is what of a whole the
    baseline does not take; None for the baseline itself and for a step. `line` is what it says at some sizes in bytes,
    from the smallest to the largest that was measured: between them nothing was.
    """

    levels: Mapping[str, str]
    step: str
    fixed: Estimate
    per_byte: Estimate
    extra_per_byte: Estimate | None
    line: tuple[tuple[float, Estimate], ...] = ()


@dataclass(frozen=True)
class Breakdown:
    """Of one metric in seconds: where the time goes, and how it grows with the size."""

    metric: str
    anatomies: tuple[Anatomy, ...]
    growths: tuple[Growth, ...]


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
class EventSize:
    """How large the event of a size is: bytes, and times the size."""

    level: str
    event_bytes: int
    times: float


@dataclass(frozen=True)
class Throttled:
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
class Kind:
    """What a treatment makes of one kind of work: the findings of the levels that stand for it."""

    words: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class ProfileOf:
    """What a treatment makes of every kind of work that was measured.

    `levels` are those of the control, and of the factor that repeats the whole where the run has one.
    """

    levels: Mapping[str, str]
    kinds: tuple[Kind, ...]


@dataclass(frozen=True)
class Mixed:
    """What a treatment makes of a mix of work: `ratio` is its time over the baseline's, or `missing` says why not."""

    levels: Mapping[str, str]
    ratio: Estimate | None
    missing: str = ""


@dataclass(frozen=True)
class Pooled:
    """What all repetitions say together: each is one value, the mean of its blocks. `ratio` counts repetitions."""

    levels: Mapping[str, str]
    words: str
    ratio: Estimate


@dataclass(frozen=True)
class Rented:
    """What the work of one hour on the baseline costs on a treatment's machine, with the mix that was asked for.

    `least` and `most` are the totals at the ends of the mix's interval.
    """

    levels: Mapping[str, str]
    baseline: Bill
    bill: Bill
    least: float
    most: float


@dataclass(frozen=True)
class Advice:
    """All of it.

    `limit` is None where nobody asked for the smallest memory; `lacking` are the metrics that were asked for and that
    the run has of no treatment. `mix` is the share of every kind of work that was asked for, empty where nobody did.
    """

    run_id: str
    plan: Plan
    rules: AdviceRules
    anatomies: tuple[Anatomy, ...]
    growths: tuple[Growth, ...]
    event_sizes: tuple[EventSize, ...]
    throttled: tuple[Throttled, ...]
    priced: tuple[Priced, ...]
    limit: Limit | None
    smallest: tuple[Smallest, ...]
    lacking: tuple[str, ...] = ()
    unpriced: bool = False
    profiles: tuple[ProfileOf, ...] = ()
    mix: Mapping[str, float] = field(default_factory=dict)
    mixes: tuple[Mixed, ...] = ()
    pooled: tuple[Pooled, ...] = ()
    rents: tuple[Rented, ...] = ()
