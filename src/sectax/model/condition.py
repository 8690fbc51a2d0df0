"""Limits on a build's cost: `slower>5%`, `p99>12ms`, `bytes>0`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

SHARE = "%"  # unit of a limit on the relative cost
OF_BASELINE = "% of baseline"  # unit of a limit on the growth of a count, or of another value without an effect
BILL = "bill"  # cost of a million operations, which is not a metric


class ConditionAnswer(StrEnum):
    """The state of a condition."""

    HOLDS = "holds"  # the whole interval is beyond the limit
    RULED_OUT = "ruled out"  # the whole interval is within the limit
    OPEN = "undecided"


class OpenReason(StrEnum):
    """Why a condition is undecided for a comparison."""

    NOT_MEASURED = "not measured"
    NO_FIGURE = "no such figure"
    WITHDRAWN = "withdrawn"
    UNFINISHED = "run not finished"
    UNSEEN = "known cost not seen"  # the interval is within the limit, but the run's sensitivity is not proven
    WIDE = "limit inside the interval"


@dataclass(frozen=True)
class Condition:
    """A condition; shares are symmetric in logs (faster and slower by 5 %).

    Attributes:
        costlier: True for 'slower' (larger, costlier) or above a value, False for the opposite.
        limit: share (0.05 is 5 %), or value in `unit`.
        metric: name of the metric; empty for the plan's first one in primary comparisons.
        text: as the user wrote it.
        about: levels that a treatment must have.
        unit: `%` for effects; `s`, `B`, … for a treatment's own value; `% of baseline` for its growth as a share.
        growth: whether the value is the difference from the baseline, or with `% of baseline` the share.
    """

    costlier: bool
    limit: float
    metric: str
    text: str
    about: tuple[str, ...] = ()
    unit: str = SHARE
    growth: bool = False

    @property
    def is_share(self) -> bool:
        """Whether it limits an effect, not a value."""
        return self.unit == SHARE


class Span(NamedTuple):
    """A treatment's value with its limits, which are equal for exact counts; `by` is what counted it instead."""

    low: float
    high: float
    unit: str
    by: str = ""


@dataclass(frozen=True)
class Concluded:
    """The result of a condition.

    Attributes:
        decisive: ids of the comparisons (treatments for values) that decide the answer.
        changes: when comparing two runs: interval of an effect's change in logs, by decisive id.
        why: reasons of an undecided answer, in the order of `decisive`.
        values: value of each decisive treatment, or why it is unknown.
    """

    condition: Condition
    answer: ConditionAnswer
    decisive: tuple[str, ...]
    changes: dict[str, tuple[float, float]] = field(default_factory=dict)
    why: tuple[OpenReason, ...] = ()
    values: dict[str, Span | str] = field(default_factory=dict)
