"""Build `Measured` from finished blocks, live or from a run file."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import TYPE_CHECKING, TypeVar

from sectax.model.environment import LOCAL_HOST, Environment
from sectax.model.measured import BatchShape, BatchStatistics, BlockRecord, Failure, Measured, Visited
from sectax.model.metric import Metric, Summary
from sectax.model.plan import Calibrated, Plan
from sectax.model.subject import Observation, Witness, Witnesses
from sectax.model.trial import BlockEvent, Dropped, PlannedBlock, State, Trial
from sectax.record.errors import UnusableObservation
from sectax.stats.batch_shape import Batches

if TYPE_CHECKING:
    from sectax.stats.moments import Array

Key = TypeVar("Key")
Inner = TypeVar("Inner")
Value = TypeVar("Value")

# The duration of a block is taken from the latest ones, since decided treatments leave a run.
_RECENT_BLOCKS = 5
# Telemetry in this unit is a level and is not summed.
_LEVEL = "_hz"


@dataclass(frozen=True)
class Totals:
    """The reduced observations of one metric of one treatment in one block.

    Attributes:
        observations: their number.
        count, value: sums of operations and values.
        smallest, largest: the extreme values.
        median: the median of value/count, without zero counts; None if not requested or empty.
        quotients: these quotients in ascending order; empty if not requested.
    """

    observations: int
    count: int
    value: float
    smallest: float
    largest: float
    median: float | None = None
    quotients: array[float] = field(default_factory=lambda: array("d"))


@dataclass
class BlockSummary:
    """One finished block, reduced.

    Attributes:
        totals: by treatment and name of the observations.
        telemetry: by treatment and name; `batches` and `visited` are by treatment.
        batch_columns: position, value and count of the batches by treatment, until `add_batches`.
    """

    number: int
    seconds: float
    host: str = LOCAL_HOST
    planned: tuple[str, ...] = ()
    failures: list[Failure] = field(default_factory=list)
    witnesses: list[tuple[str, Witnesses]] = field(default_factory=list)
    totals: dict[tuple[str, str], Totals] = field(default_factory=dict)
    telemetry: dict[str, dict[str, float]] = field(default_factory=dict)
    batch_columns: dict[str, Array] = field(default_factory=dict)
    batches: dict[str, Batches] = field(default_factory=dict)
    visited: dict[str, Visited] = field(default_factory=dict)


def totals(
    values: Sequence[float], counts: Sequence[int], *, with_median: bool = True, with_quotients: bool = False
) -> Totals:
    """Reduce at least one observation."""
    quotients: list[float] = []
    if with_median or with_quotients:
        quotients = sorted(value / count for value, count in zip(values, counts, strict=True) if count)
    return Totals(
        observations=len(values),
        count=sum(counts),
        value=fsum(values),
        smallest=min(values),
        largest=max(values),
        median=middle(quotients) if with_median else None,
        quotients=array("d", quotients if with_quotients else ()),
    )


def median(values: Iterable[float]) -> float | None:
    return middle(sorted(values))


def middle(ordered: Sequence[float]) -> float | None:
    """The median of sorted values. (The `statistics` module takes 8 ms to import.)"""
    if not ordered:
        return None
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def block_value(summary: Summary, totals: Totals) -> float | None:
    """The value of a block; None without counts or elapsed time, and for tail metrics.

    A rate is all operations over all time, so that short batches do not weigh as much as long ones.
    """
    match summary:
        case Summary.RATE:
            return totals.count / totals.value if totals.value else None
        case Summary.MEAN:
            return totals.value / totals.count if totals.count else None
        case Summary.MEDIAN:
            return totals.median
        case Summary.MAXIMUM:
            return totals.largest
        case Summary.P90 | Summary.P99 | Summary.WORST | Summary.LEAST:
            return None


def planned_treatments(block: PlannedBlock) -> tuple[str, ...]:
    """The treatments of a block, by cell in their order of opening."""
    return tuple(treatment for cell in block.cells for treatment in cell.opening)


# Of any quantity: sums and squares of such values are finite.
LARGEST = 1e60


def is_usable(value: float) -> bool:
    """Whether a value is a number of which sums can be made."""
    return abs(value) <= LARGEST


def usable(observation: Observation) -> Observation:
    """Return the observation unchanged.

    Raises:
        UnusableObservation: the value is infinite or nearly so, or the count is negative.
    """
    if not is_usable(observation.value) or observation.count < 0:
        raise UnusableObservation(
            f"{observation.metric} is {observation.value} {observation.unit} over {observation.count} operations,"
            " which is not a measurement"
        )
    return observation


def event_failures(block: int, event: BlockEvent) -> list[Failure]:
    """The failure of an event, or none; pilots are block 0."""
    number = max(block, 0)
    match event:
        case Trial(treatment, _, _, state, _, _, reason, hint) if state is not State.OK:
            return [Failure(number, treatment, "visit", state.value, reason, hint)]
        case Dropped(treatment, state, stage, reason, hint):
            return [Failure(number, treatment, stage, state.value, reason, hint)]
        case _:
            return []


def first_of_each(failures: Iterable[Failure]) -> list[Failure]:
    """The first failure of every treatment in a block; others are consequences."""
    first: dict[tuple[int, str], Failure] = {}
    for failure in failures:
        first.setdefault((failure.block, failure.treatment), failure)
    return list(first.values())


@dataclass
class _Batches:
    batches: int = 0
    operations: int = 0
    shortest_s: float = float("inf")
    repeated: int = 0
    step_s: float | None = None

    def add(self, totals: Totals, batches: Batches) -> None:
        self.batches += totals.observations
        self.operations += totals.count
        self.shortest_s = min(self.shortest_s, totals.smallest)
        # Within a block, equal values are a limit of the clock; over a long run they come by chance.
        self.repeated += totals.observations - batches.distinct
        if batches.step is not None:
            step = batches.step * totals.count / totals.observations
            self.step_s = step if self.step_s is None else min(self.step_s, step)

    def statistics(self) -> BatchStatistics:
        share = self.repeated / self.batches
        return BatchStatistics(self.batches, self.operations, self.shortest_s, share, self.step_s)


class MeasuredBuilder:
    """Accumulates finished blocks, without treatments that failed in them."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._observed: dict[str, list[Metric]] = {}
        for metric in plan.metrics:
            self._observed.setdefault(metric.observed, []).append(metric)
        self._batch = plan.batch_observation
        self._seconds: dict[int, float] = {}
        self._record: dict[int, BlockRecord] = {}
        self._pilot_failures: list[Failure] = []
        self._failures: list[Failure] = []
        order = [treatment.id for treatment in plan.treatments]
        names = [metric.name for metric in plan.metrics]
        self._values: dict[str, dict[str, dict[int, float]]] = {name: {id: {} for id in order} for name in names}
        self._samples: dict[str, dict[str, dict[int, array[float]]]] = {name: {} for name in plan.tail_observations}
        self._counts: dict[str, dict[str, int]] = {name: dict.fromkeys(order, 0) for name in names}
        self._visited: dict[str, list[int]] = {id: [] for id in order}
        self._witnesses: dict[str, dict[str, dict[tuple[type, Witness], Witness]]] = {id: {} for id in order}
        self._batches: dict[str, _Batches] = {id: _Batches() for id in order}
        self._shapes: dict[str, dict[int, BatchShape]] = {id: {} for id in order}
        self._telemetry: dict[str, dict[str, float]] = {id: {} for id in order}

    @property
    def blocks(self) -> tuple[int, ...]:
        """The numbers of the finished blocks; on several hosts they end in any order."""
        return tuple(sorted(self._seconds))

    def add_pilot_failures(self, failures: Iterable[Failure]) -> None:
        self._pilot_failures += failures

    def add(self, block: BlockSummary) -> None:
        if block.number in self._seconds:
            raise ValueError(f"block {block.number} is counted already")
        self._seconds[block.number] = block.seconds
        self._failures += first_of_each(block.failures)
        failed = {failure.treatment for failure in block.failures}
        self._record[block.number] = BlockRecord(block.seconds, block.visited, block.host)
        for treatment in block.planned:
            self._visited[treatment].append(block.number)
        for treatment, witnesses in block.witnesses:
            for name, value in witnesses.items():  # 1, 1.0 and True are three values
                self._witnesses[treatment].setdefault(name, {}).setdefault((type(value), value), value)
        for (treatment, observed), totals in block.totals.items():
            if treatment not in failed:
                self._count(block.number, treatment, observed, totals)
        for treatment, batches in block.batches.items():
            if treatment not in failed:
                self._batches[treatment].add(block.totals[treatment, str(self._batch)], batches)
                if batches.shape is not None:
                    self._shapes[treatment][block.number] = batches.shape
        for treatment, telemetry in block.telemetry.items():
            if treatment not in failed:
                total = self._telemetry[treatment]
                for name, value in telemetry.items():
                    if not name.endswith(_LEVEL):
                        total[name] = total.get(name, 0.0) + value

    def _count(self, block: int, treatment: str, observed: str, totals: Totals) -> None:
        for metric in self._observed.get(observed, ()):
            self._counts[metric.name][treatment] += totals.observations
            value = block_value(metric.summary, totals)
            if value is not None:
                self._values[metric.name][treatment][block] = value
        if totals.quotients:
            self._samples[observed].setdefault(treatment, {})[block] = totals.quotients

    def measured(
        self,
        *,
        run_id: str,
        started: str,
        state: str,
        calibrated: Calibrated | None,
        sessions: tuple[Environment, ...],
        notes: tuple[str, ...] = (),
    ) -> Measured:
        """A copy of all finished blocks so far.

        `values`, `counts`, `witnesses`, `batches`, `shapes` and `telemetry` have observed treatments only; the first
        two have every metric, and `visited` has every treatment.
        """
        return Measured(
            run_id=run_id,
            started=started,
            state=state,
            plan=self._plan,
            calibrated=calibrated,
            blocks=(blocks := self.blocks),
            values={name: _copied(by_treatment) for name, by_treatment in self._values.items()},
            counts={
                name: {id: count for id, count in by_treatment.items() if count}
                for name, by_treatment in self._counts.items()
            },
            visited={id: tuple(sorted(numbers)) for id, numbers in self._visited.items()},
            failures=(*first_of_each(self._pilot_failures), *sorted(self._failures, key=lambda failure: failure.block)),
            witnesses={
                id: {name: tuple(values.values()) for name, values in witnesses.items()}
                for id, witnesses in self._witnesses.items()
                if witnesses
            },
            batches={id: batches.statistics() for id, batches in self._batches.items() if batches.batches},
            telemetry=_copied(self._telemetry),
            sessions=sessions,
            block_s=median(self._seconds[block] for block in blocks[-_RECENT_BLOCKS:]),
            blocks_s=sum(self._seconds.values()),
            notes=notes,
            shapes=_copied(self._shapes),
            samples={observed: _copied(by_treatment) for observed, by_treatment in self._samples.items()},
            record=dict(self._record),
        )


def _copied(mapping: dict[Key, dict[Inner, Value]]) -> dict[Key, dict[Inner, Value]]:
    return {key: dict(inner) for key, inner in mapping.items() if inner}
