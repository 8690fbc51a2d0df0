"""A limit on a cost that somebody's build must not pass: `slower>5%`, `p99>12ms`, `bytes>0`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

SHARE = "%"  # the unit of a limit on what one side costs more than the other
BILL = "bill"  # of a million operations: a figure that no metric has


class ConditionAnswer(StrEnum):
    """What a run says of a condition."""

    HOLDS = "holds"  # beyond doubt: the whole interval is past the limit
    RULED_OUT = "ruled out"  # the whole interval is within the limit
    OPEN = "undecided"


class OpenReason(StrEnum):
    """Why a condition is undecided for a comparison."""

    NOT_MEASURED = "not measured"
    NO_FIGURE = "no such figure"
    WITHDRAWN = "withdrawn"
    UNFINISHED = "run not finished"
    UNSEEN = "known cost not seen"  # the interval is within the limit, but the run has not shown that it sees so little
    WIDE = "limit inside the interval"


@dataclass(frozen=True)
class Condition:
    """One condition. A share mirrors as the margin does: 'faster by 5 %' is as far as 'slower by 5 %'.

    Attributes:
        costlier: whether it asks for 'slower' (larger, costlier), or for more than a value; otherwise for less.
        limit: a share, 0.05 is 5 %; with another unit a value in that unit.
        metric: name of the metric it is about; empty for the plan's first one, in the primary comparisons.
        text: as somebody wrote it.
        about: levels that a treatment must have.
        unit: of the limit: a share, or `s`, `B`, … where a treatment's own value is held against it.
        growth: of a value: what the treatment has more than its baseline, not what it has.
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
        """Whether it is about an effect, and not about values."""
        return self.unit == SHARE


class Span(NamedTuple):
    """What a treatment is known to have: both ends are equal where it was counted and not measured."""

    low: float
    high: float
    unit: str


@dataclass(frozen=True)
class Concluded:
    """A condition and its answer; `decisive` are the ids of the comparisons that gave it.

    Where it is about values, these are the ids of treatments, and `values` has what each of them has, or has more than
    its baseline, or why that is not known. `changes` has, where two runs are compared, the interval by which an effect
    grew, in logs, by those ids; `why` says of each of them, in their order, why it is undecided, and is empty where it
    is not.
    """

    condition: Condition
    answer: ConditionAnswer
    decisive: tuple[str, ...]
    changes: dict[str, tuple[float, float]] = field(default_factory=dict)
    why: tuple[OpenReason, ...] = ()
    values: dict[str, Span | str] = field(default_factory=dict)
