"""Contents of a block: the order of subjects and visits, and their results."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from sectax.model.environment import LOCAL_HOST
from sectax.model.subject import Observation, Witnesses, Work


class State(StrEnum):
    """State of a trial; a failure is recorded with its reason and never imputed."""

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
    """A part of a block: subjects opened in this order, warmed up, then visited.

    Attributes:
        warmup: treatment -> batches, operations of each.
        at_once: treatments that are visited at the same time within a round.
    """

    cell: str
    opening: tuple[str, ...]
    warmup: dict[str, tuple[int, int]]
    visits: tuple[PlannedVisit, ...]
    at_once: frozenset[str] = frozenset()

    def turns(self) -> Iterator[list[PlannedVisit]]:
        """The visits in order, alone or, where simultaneous, all of a round together."""
        for _, of_round in itertools.groupby(self.visits, lambda visit: visit.round):
            turns: dict[str, list[PlannedVisit]] = {}
            for visit in of_round:
                turns.setdefault("" if visit.treatment in self.at_once else visit.treatment, []).append(visit)
            yield from turns.values()


@dataclass(frozen=True)
class PlannedBlock:
    """One block: number from 1, cells in measuring order, and host."""

    number: int
    cells: tuple[PlannedCell, ...]
    host: str = LOCAL_HOST


@dataclass(frozen=True)
class Opened:
    """A ready subject: its first operation, and seconds until ready (`open_s`)."""

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
    """A subject that ended normally."""

    treatment: str
    witnesses: Witnesses


@dataclass(frozen=True)
class Dropped:
    """A treatment that left the block: its subject failed or is not available."""

    treatment: str
    state: State
    stage: str
    reason: str
    hint: str = ""


BlockEvent = Opened | Trial | Closed | Dropped
