"""What happens in a block: which subjects are opened and visited in which order, and what came of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from sectax.model.environment import LOCAL_HOST
from sectax.model.subject import Observation, Witnesses, Work


class State(StrEnum):
    """Of a trial. Failed is a result too: it is recorded with its reason and never imputed."""

    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class PlannedVisit:
    """One visit of a treatment in a round, at its place in the order of its cell."""

    treatment: str
    round: int
    position: int
    work: Work


@dataclass(frozen=True)
class PlannedCell:
    """A part of a block, of one cell or of several: fresh subjects, opened in this order, warmed up, then visited.

    Attributes:
        warmup: treatment -> batches, operations of each.
        at_once: the treatments that are visited at the same moment within a round.
    """

    cell: str
    opening: tuple[str, ...]
    warmup: dict[str, tuple[int, int]]
    visits: tuple[PlannedVisit, ...]
    at_once: frozenset[str] = frozenset()

    def turns(self) -> Iterator[list[PlannedVisit]]:
        """The visits in their order, one by one or, where they are made at once, all of a round with the first."""
        for _, of_round in itertools.groupby(self.visits, lambda visit: visit.round):
            turns: dict[str, list[PlannedVisit]] = {}
            for visit in of_round:
                turns.setdefault("" if visit.treatment in self.at_once else visit.treatment, []).append(visit)
            yield from turns.values()


@dataclass(frozen=True)
class PlannedBlock:
    """One block: its number, counted from 1, its cells in the order in which they are measured, and its host."""

    number: int
    cells: tuple[PlannedCell, ...]
    host: str = LOCAL_HOST


@dataclass(frozen=True)
class Opened:
    """A subject is ready. `first` is of its very first operation, `open_s` what it took to get there."""

    treatment: str
    witnesses: Witnesses
    first: tuple[Observation, ...]
    open_s: float


@dataclass(frozen=True)
class Trial:
    """One visit that was made, or the reason why it was not."""

    treatment: str
    round: int
    position: int
    state: State
    observations: tuple[Observation, ...] = ()
    telemetry: dict[str, float] = field(default_factory=dict)
    reason: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Closed:
    """A subject has ended in good order."""

    treatment: str
    witnesses: Witnesses


@dataclass(frozen=True)
class Dropped:
    """A treatment left the block: its subject failed or is not available."""

    treatment: str
    state: State
    stage: str
    reason: str
    hint: str = ""


BlockEvent = Opened | Trial | Closed | Dropped
