"""A limit on a cost that somebody's build must not pass: `slower>5%`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Answer(StrEnum):
    """What a run says of a condition."""

    HOLDS = "holds"  # beyond doubt: the whole interval is past the limit
    RULED_OUT = "ruled out"  # the whole interval is within the limit
    OPEN = "undecided"


class Open(StrEnum):
    """Why a condition is undecided for a comparison."""

    NOT_MEASURED = "not measured"
    WITHDRAWN = "withdrawn"
    UNFINISHED = "run not finished"
    UNSEEN = "known cost not seen"  # the interval is within the limit, but the run has not shown that it sees so little
    WIDE = "limit inside the interval"


@dataclass(frozen=True)
class Condition:
    """One condition. It mirrors as the margin does: 'faster by 5 %' is as far as 'slower by 5 %'.

    Attributes:
        costlier: whether it asks for 'slower' (larger, costlier) or for 'faster'.
        limit: a share, 0.05 is 5 %.
        metric: name of the metric it is about; empty for the plan's first one, in the primary comparisons.
        text: as somebody wrote it.
    """

    costlier: bool
    limit: float
    metric: str
    text: str


@dataclass(frozen=True)
class Concluded:
    """A condition and its answer; `decisive` are the ids of the comparisons that gave it.

    `changes` has, where two runs are compared, the interval by which an effect grew, in logs, by those ids; `why` says
    of each of them, in their order, why it is undecided, and is empty where it is not.
    """

    condition: Condition
    answer: Answer
    decisive: tuple[str, ...]
    changes: dict[str, tuple[float, float]] = field(default_factory=dict)
    why: tuple[Open, ...] = ()
