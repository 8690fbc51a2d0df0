"""The plan of a run: every decision made before the first trial."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum

from sectax.model.condition import Condition
from sectax.model.metric import Metric, Summary
from sectax.model.treatment import Cell, Comparison, Factor, Role, SkippedTreatment, Treatment

# Smallest number of blocks at which a verdict is possible (the sequence is very wide before).
FIRST_LOOK = 6
# Enough to decide most comparisons on a quiet machine, since a claim must survive one outlying block
# (docs/method-notes.md, 'Skew and modes'). A plan with a time budget leaves room for them where it can.
ENOUGH_BLOCKS = 10
# Default where neither blocks nor a budget were given.
DEFAULT_MAX_BLOCKS = 40
# Half-width (log ratio) beyond which an interval is too wide to act on: '10 to 120 % slower' decides nothing.
ROUGHLY = math.log(1.12)
# Operations at least this long count as long: a restart between them adds comparatively little.
LONG_S = 0.5
# A settling batch is half as long as the batch that counts: it refills caches after a switch and is thrown away.
SETTLING_SHARE = 0.5

# Where the services of a run work while its subjects are pinned to one processor.
OTHERS, SUBJECTS = "others", "subjects"
# Key of the plan's `words` under which a local replacement of an external service is named.
SERVICE = "service"


class Until(StrEnum):
    """What must be known of a comparison before later blocks leave it out."""

    DIRECTION = "direction"  # slower or faster, by however little, or no more than the margin
    VERDICT = "verdict"  # slower or faster by at least the margin and about how much, or no more than the margin
    PRECISE = "precise"  # a verdict, and an interval narrow enough to plan with
    BUDGET = "budget"  # nothing: the budget alone ends the run
    CONDITIONS = "conditions"  # an answer to every given condition (`Stopping.conditions`)


@dataclass(frozen=True)
class Stopping:
    """When a run ends.

    Attributes:
        margin: smallest cost that matters; 0.02 is 2 %.
        alpha: error level shared by the primary comparisons.
        max_blocks: maximum number of blocks; None: as many as fit into the budget.
        fixed_blocks: exact number of blocks (the fixed-N design); None for the sequential one.
        budget_s: maximum seconds of a session, pilot included; None for no limit.
        extends: whether the run may exceed a default budget until its first verdicts.
        until: what ends a comparison; PRECISE for run files that do not record it.
        conditions: limits given with the run; a comparison stays until those about it are answered too.
    """

    margin: float
    alpha: float = 0.05
    max_blocks: int | None = None
    fixed_blocks: int | None = None
    budget_s: float | None = None
    extends: bool = False
    until: Until = Until.PRECISE
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Contents:
    """Bodies and nesting of the operations, for plausibility checks.

    Attributes:
        size_factor: factor whose levels are the size of the body of every operation.
        sizes: its levels in bytes.
        parts: operation -> the operations that it contains as a whole, the nearest first.
        bytes_s: operation -> upper bound on the rate at which its own work can process the body, in bytes per second.
        operation_factor: factor whose levels are the operations; empty where it is the control.
        metadata: operations that move no body, whatever its size.
        waits: part -> what only the part may wait for; if the whole is faster, that is a warning and not a fault.
    """

    size_factor: str = ""
    sizes: dict[str, int] = field(default_factory=dict)
    parts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    bytes_s: dict[str, float] = field(default_factory=dict)
    operation_factor: str = ""
    metadata: tuple[str, ...] = ()
    waits: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Shortcut:
    """Work that a treatment may leave out, and so be faster than the baseline.

    Attributes:
        operations: levels of the contents' operation factor (of the control, where that is empty) that do the work.
        witness: witness that differs where the work was left out.
        words: short name of the omitted work.
        why: the reason, in a sentence.
    """

    operations: tuple[str, ...]
    witness: str
    words: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Procedure:
    """What varies, what is observed and how; part of an experiment's design.

    Attributes:
        control: factor whose levels are compared, as the security control of a study.
        factors: factors with the levels of this run, the control included.
        metrics: the first is the one that primary comparisons use.
        transfers: which part of the result applies elsewhere, in a sentence.
        batch_s: target seconds of a batch; 0 where operations are timed one by one.
        rounds_range: minimum and maximum rounds of a block.
        warms_up: False where no warm-up is needed (every operation is a new process), or a study had none.
        settles: False where batches count without a preceding batch that is thrown away.
        equal_counts: whether batches of a cell have equal operation counts instead of equal lengths, since every
            operation is a new process.
        one_processor: whether all subjects use one thread and take turns on the same processor.
        services_on: processors of the services. `OTHERS`: those that the subjects do not use. `SUBJECTS`: that of the
            subjects, which start them; sectax then uses the others. Empty where there are no services.
        gap_s: idle seconds between two operations of a subject at a spaced pace.
        together: maximum number of treatments whose cells are open at once and visited in the same rounds, so that they
            fill each other's gaps; 0: every cell by itself.
        choices: choices made where a published study is silent.
        equal_witnesses: witnesses that are equal in all treatments of a cell when they do equal work.
        shortcuts: known shortcuts, named where a treatment is faster than its baseline.
        words: readable names of levels (`php` -> `PHP`), of `metric=NAME`, and of `empty loop`.
        contents: None where operations carry no body.
        answered_by: which metric answers the question and why, in a sentence.
        beside: metrics that are shown together with the first.
        hosts: other hosts on which subjects run, by the names in the specs.
    """

    transfers: str
    control: str
    factors: tuple[Factor, ...]
    metrics: tuple[Metric, ...]
    batch_s: float
    rounds_range: tuple[int, int] = (4, 32)
    warms_up: bool = True
    settles: bool = True
    equal_counts: bool = False
    one_processor: bool = False
    services_on: str = ""
    gap_s: float = 0.0
    together: int = 0
    choices: tuple[str, ...] = ()
    equal_witnesses: tuple[str, ...] = ()
    shortcuts: tuple[Shortcut, ...] = ()
    words: dict[str, str] = field(default_factory=dict)
    contents: Contents | None = None
    answered_by: str = ""
    beside: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Plan(Procedure):
    """What is measured, against what, and by which rules.

    Attributes:
        options: what the user gave, enough to make the plan again.
    """

    experiment: str
    preset: str
    question: str
    cells: tuple[Cell, ...]
    treatments: tuple[Treatment, ...]
    comparisons: tuple[Comparison, ...]
    skipped: tuple[SkippedTreatment, ...]
    stopping: Stopping
    seed: int
    options: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def times_one_by_one(self) -> bool:
        """Whether every operation is timed individually."""
        return self.batch_s <= 0

    @property
    def chooses_rounds(self) -> bool:
        """Whether the pilot decides the number of rounds of a block."""
        return self.rounds_range[0] < self.rounds_range[1]

    @property
    def batch_observation(self) -> str | None:
        """The batch observation: that of the first metric made of elapsed times."""
        of_time = (metric for metric in self.metrics if metric.summary is Summary.RATE or metric.unit == "s")
        return next((metric.observed for metric in of_time if not metric.cpu), None)

    @property
    def tail_observations(self) -> frozenset[str]:
        """Observations that are all kept, since a metric takes their tail."""
        return frozenset(metric.observed for metric in self.metrics if metric.summary.tail is not None)

    def treatment(self, treatment_id: str) -> Treatment:
        return next(treatment for treatment in self.treatments if treatment.id == treatment_id)

    def cell(self, cell_id: str) -> Cell:
        return next(cell for cell in self.cells if cell.id == cell_id)

    def target_batch_s(self, cell: Cell) -> float:
        """Target seconds of a batch of this cell."""
        return self.batch_s if cell.batch_s is None else cell.batch_s

    def metric(self, name: str) -> Metric:
        return next(metric for metric in self.metrics if metric.name == name)

    def nominal_cost(self, treatment: Treatment) -> float:
        """Nominal cost of a positive control, as a share."""
        return treatment.extra or 2 * self.stopping.margin

    def known_cost(self, treatment: Treatment, calibrated: Calibrated | None) -> float | None:
        """Actual cost of a positive control, as a share; None without calibration.

        A subject that runs no extra operations adds the nominal cost by itself.
        """
        if not treatment.extra:
            return self.nominal_cost(treatment)
        calibration = None if calibrated is None else calibrated.calibrations.get(treatment.id)
        rounds = None if calibrated is None else calibrated.rounds.get(treatment.cell)
        return calibration.known_extra(treatment.extra, rounds) if calibration is not None and rounds else None

    def added_s(self, treatment: Treatment, calibrated: Calibrated | None) -> float:
        """Seconds that a positive control adds to every operation; 0 without a pilot."""
        if treatment.role is not Role.POSITIVE or calibrated is None:
            return 0.0
        baseline = calibrated.calibrations.get(self.cell(treatment.cell).baseline)
        if baseline is None:
            return 0.0
        return self.nominal_cost(treatment) * (baseline.typical_s or baseline.operation_s)

    def last_look(self, calibrated: Calibrated | None) -> int:
        """Last block of a run, over which the error level of its looks is shared."""
        if self.stopping.fixed_blocks is not None:
            return max(self.stopping.fixed_blocks, FIRST_LOOK)
        frozen = None if calibrated is None else calibrated.last_look
        return max(frozen or self.stopping.max_blocks or DEFAULT_MAX_BLOCKS, FIRST_LOOK)

    def once_s(self, calibrated: Calibrated) -> float:
        """Seconds spent once in a run, for cells that are measured in one block only."""
        once = {cell.id for cell in self.cells if cell.once}
        here = [member for member in self.treatments if member.cell in once and member.id in calibrated.calibrations]
        return sum(calibrated.calibrations[member.id].batch_s * calibrated.rounds[member.cell] for member in here)


@dataclass(frozen=True)
class Calibration:
    """What the pilot found out about one treatment, fixed for the whole run.

    Attributes:
        count: operations per batch.
        warmup: batches run and thrown away at the start of every process.
        batch_s: undisturbed seconds of a batch by the clock of the plan's first metric.
        open_s: typical seconds to start the subject and make it ready.
        granularity_s, clock_read_s: step and reading cost of the clock that times the batches.
        empty_s: cost of an empty operation in the same loop; None where it was not measured.
        settle: whether a batch that counts follows one that is thrown away.
        settled: whether the pilot saw the end of the warm-up.
        waits_s: overhead of a visit beyond its batch, without idle gaps between operations.
        shortest_s: shortest batch that the clocks allow.
        most, fewest: maximum and minimum operations of a batch; None where any number fits.
        warmup_s: extra seconds of a block for the warm-up; None where its batches last as long as those after it.
        typical_s: mean seconds of one operation over the pilot's batches, other work on the machine included.
    """

    treatment: str
    count: int
    warmup: int
    batch_s: float
    open_s: float
    granularity_s: float
    clock_read_s: float
    empty_s: float | None = None
    settle: bool = True
    settled: bool = True
    waits_s: float = 0.0
    shortest_s: float = 0.0
    most: int | None = None
    fewest: int = 1
    typical_s: float | None = None
    warmup_s: float | None = None

    @property
    def operation_s(self) -> float:
        """Seconds of one operation where nothing disturbs it."""
        return self.batch_s / self.count

    @property
    def settling_operations(self) -> int:
        """Operations run and thrown away before a batch that counts."""
        return math.ceil(self.count * SETTLING_SHARE) if self.settle else 0

    @property
    def settled_batch_s(self) -> float:
        """Typical seconds of a batch that counts and its settling batch."""
        return self.batch_s * (1 + self.settling_operations / self.count)

    @property
    def warming_up_s(self) -> float:
        """Seconds that its warm-up adds to a block."""
        return self.warmup * self.batch_s if self.warmup_s is None else self.warmup_s

    def extra_operations(self, extra: float, rounds: int) -> int:
        """Extra operations of a block for a known cost: rounded, and at least one."""
        return max(1, round(self.count * rounds * extra)) if extra else 0

    def known_extra(self, extra: float, rounds: int) -> float:
        """The actual share of extra operations in a block, e.g. 0.0417 for 5 among 120."""
        return self.extra_operations(extra, rounds) / (self.count * rounds)


@dataclass(frozen=True)
class Calibrated:
    """Result of the pilot.

    Attributes:
        calibrations: by treatment; treatments that could not be tried are missing.
        rounds: rounds per block, by cell.
        last_look: last block of a run; None where the plan alone decides.
        pace: ratio of the duration of the pilot's visits to the fastest of them, by which estimated times are scaled.
    """

    calibrations: dict[str, Calibration]
    rounds: dict[str, int]
    last_look: int | None = None
    pace: float = 1.0
