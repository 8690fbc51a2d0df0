"""What a cost was from run to run: one line for each comparison on each machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sectax.model.finding import VerdictId

# A level takes so many runs at least, and a change is from one level to another.
RUNS_OF_A_LEVEL = 5
FEWEST_RUNS = 2 * RUNS_OF_A_LEVEL


@dataclass(frozen=True)
class CostPoint:
    """One comparison in one run, as ratios of cost; None where nothing may be claimed of it.

    Attributes:
        run: the name of its file. commit: of the code, or empty; changed: whether files differed from it.
    """

    run: str
    started: str
    commit: str
    changed: bool
    verdict: VerdictId
    cost_ratio: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class CostChange:
    """A level that changed: advice, no verdict.

    Attributes:
        run, commit: the first one after it. before, after: the mean cost ratio on both sides.
        also: what of the machine or of its software changed at the same place.
    """

    run: str
    commit: str
    before: float
    after: float
    also: tuple[str, ...]


@dataclass(frozen=True)
class HistoryLine:
    """One comparison on one kind of machine, the oldest run first.

    Attributes:
        comparison: its id; words: what people call it. primary: whether it answers the question of its run.
    """

    experiment: str
    comparison: str
    words: str
    metric: str
    primary: bool
    machine: str
    seen: tuple[CostPoint, ...]
    changes: tuple[CostChange, ...]


@dataclass(frozen=True)
class History:
    """The run files of a folder, or of a branch, as lines. As JSON it is the document of `sectax history`.

    Attributes:
        unreadable: file -> why nothing is known of it.
        changes_by: how changes were looked for.
        planted: how many runs are left out, since a cost was added to them on purpose, as self-tests do.
    """

    source: str
    runs: int
    lines: tuple[HistoryLine, ...]
    unreadable: dict[str, str]
    changes_by: str
    planted: int = 0
    schema: Literal["sectax/history/1"] = "sectax/history/1"
