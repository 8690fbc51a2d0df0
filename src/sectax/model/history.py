"""History of costs: one line for each comparison on each kind of machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sectax.model.finding import VerdictId

# A level takes at least this many runs, and a change is from one level to another.
RUNS_OF_A_LEVEL = 5
FEWEST_RUNS = 2 * RUNS_OF_A_LEVEL


@dataclass(frozen=True)
class CostPoint:
    """One comparison in one run, as ratios of cost; None where no claim is made.

    Attributes:
        run: name of the run file.
        commit: commit of the code, or empty.
        changed: whether files differed from the commit.
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
    """A change of level: advice, not a verdict.

    Attributes:
        run, commit: the first run after the change.
        before, after: mean cost ratio before and after it.
        also: changes of the machine or its software at the same place.
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
        comparison: its id.
        words: its readable name.
        primary: whether it answers the question of its run.
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
    """History of a folder or branch; as JSON the document of `sectax history`.

    Attributes:
        unreadable: file -> reason why it cannot be read.
        changes_by: method by which changes were looked for.
        planted: number of runs left out because a cost was added on purpose, as self-tests do.
    """

    source: str
    runs: int
    lines: tuple[HistoryLine, ...]
    unreadable: dict[str, str]
    changes_by: str
    planted: int = 0
    schema: Literal["sectax/history/1"] = "sectax/history/1"
