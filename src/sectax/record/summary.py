"""From the observations of one block to its one value: theta in the method's page."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import fsum

from sectax.model.measured import Failure, Visited
from sectax.model.metric import Summary
from sectax.model.subject import Witnesses
from sectax.stats.batch_shape import Batches


@dataclass(frozen=True)
class Totals:
    """What is kept of the observations of one metric of one treatment in one block.

    Attributes:
        observations: how many there are.
        count, value: totals of the operations counted, and of the values in their own unit.
        smallest, largest: of the values.
        median: of value/count over the observations that counted something; None where none did or nobody asked.
        each: those quotients in ascending order; empty where nobody asked.
    """

    observations: int
    count: int
    value: float
    smallest: float
    largest: float
    median: float | None = None
    each: array[float] = field(default_factory=lambda: array("d"))


@dataclass
class BlockSummary:
    """One finished block, reduced.

    `totals` is by treatment and name of the observations; `telemetry` by treatment and name; `batches` and `visited`
    by treatment.
    """

    number: int
    seconds: float
    planned: tuple[str, ...] = ()
    failures: list[Failure] = field(default_factory=list)
    witnesses: list[tuple[str, Witnesses]] = field(default_factory=list)
    totals: dict[tuple[str, str], Totals] = field(default_factory=dict)
    telemetry: dict[str, dict[str, float]] = field(default_factory=dict)
    batches: dict[str, Batches] = field(default_factory=dict)
    visited: dict[str, Visited] = field(default_factory=dict)


def totals(
    values: Sequence[float], counts: Sequence[int], *, with_median: bool = True, with_each: bool = False
) -> Totals:
    """The totals of at least one observation; the median, and every single one, where they are asked for."""
    quotients: list[float] = []
    if with_median or with_each:
        quotients = sorted(value / count for value, count in zip(values, counts, strict=True) if count)
    return Totals(
        observations=len(values),
        count=sum(counts),
        value=fsum(values),
        smallest=min(values),
        largest=max(values),
        median=middle(quotients) if with_median else None,
        each=array("d", quotients if with_each else ()),
    )


def median(values: Iterable[float]) -> float | None:
    """The median, None of nothing."""
    return middle(sorted(values))


def middle(ordered: Sequence[float]) -> float | None:
    """The median of what is in order already. (The standard library's module costs 8 ms to import.)"""
    if not ordered:
        return None
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def block_value(summary: Summary, of: Totals) -> float | None:
    """The block's value, None where the observations give none (nothing counted, no time passed, a tail).

    Source: statistics.md section 2, "θ of a rate is total operations over total time of the block".
    """
    match summary:
        case Summary.RATE:
            return of.count / of.value if of.value else None
        case Summary.MEAN:
            return of.value / of.count if of.count else None
        case Summary.MEDIAN:
            return of.median
        case Summary.MAXIMUM:
            return of.largest
        case Summary.P90 | Summary.P99 | Summary.WORST | Summary.LEAST:
            return None
