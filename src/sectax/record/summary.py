"""From the observations of one block to its one value: theta in the method's page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum

from sectax.model.metric import Summary


@dataclass(frozen=True)
class Totals:
    """What is kept of the observations of one metric of one treatment in one block.

    Attributes:
        observations: how many there are.
        count, value: totals of the operations counted, and of the values in their own unit.
        smallest: of the values.
        largest: of the values; None where nobody asked.
        median: of value/count over the observations that counted something; None where none did or nobody asked.
    """

    observations: int
    count: int
    value: float
    smallest: float
    largest: float | None = None
    median: float | None = None


def totals(values: Sequence[float], counts: Sequence[int]) -> Totals:
    """The totals of at least one observation."""
    return Totals(
        observations=len(values),
        count=sum(counts),
        value=fsum(values),
        smallest=min(values),
        largest=max(values),
        median=median(value / count for value, count in zip(values, counts, strict=True) if count),
    )


def median(values: Iterable[float]) -> float | None:
    """The median, None of nothing. (The standard library's module costs 8 ms to import.)"""
    ordered = sorted(values)
    if not ordered:
        return None
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def block_value(summary: Summary, of: Totals) -> float | None:
    """The block's value, None where the observations give none (nothing counted, no time passed).

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
