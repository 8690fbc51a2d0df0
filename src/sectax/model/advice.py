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
        stages: the control's levels that do more and more of the work, and what each does beyond the one before.
        rest: what a treatment that is no stage does beyond the last of them.
        size_factor, sizes: the factor that is an amount, and its levels in bytes.
        memory_factor: the factor whose levels are MB.
    """

    metric: str
    billed: str
    stages: tuple[tuple[str, str], ...]
    rest: str
    size_factor: str
    sizes: Mapping[str, float]
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

    `extra_per_byte` is what of that the baseline does not take; None for the baseline itself.
    """

    levels: Mapping[str, str]
    fixed: Estimate
    per_byte: Estimate
    extra_per_byte: Estimate | None


@dataclass(frozen=True)
class Priced:
    """What a million requests cost: `billed_s` each, rounded up as they are billed."""

    cell: str
    treatment: str
    memory_mb: int
    billed_s: float
    bill: Bill


@dataclass(frozen=True)
class Smallest:
    """The smallest memory that keeps a treatment under a limit at one combination of the other levels; None: none."""

    levels: Mapping[str, str]
    memory_mb: int | None


@dataclass(frozen=True)
class Advice:
    """All of it. `under_s` is the limit behind `smallest`; None where nobody asked."""

    run_id: str
    plan: Plan
    anatomies: tuple[Anatomy, ...]
    growths: tuple[Growth, ...]
    priced: tuple[Priced, ...]
    under_s: float | None
    smallest: tuple[Smallest, ...]
