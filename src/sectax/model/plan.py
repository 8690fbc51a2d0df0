"""The plan of a run: everything that is decided before the first trial, and written down."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum

from sectax.model.condition import Condition
from sectax.model.metric import Metric, Summary
from sectax.model.treatment import Cell, Comparison, Factor, Role, SkippedTreatment, Treatment

# The smallest number of blocks at which a verdict is possible (the sequence is very wide before).
FIRST_LOOK = 6
# So many blocks decide most comparisons of a quiet machine, since a claim must survive one block that is unlike the
# others (docs/method-notes.md, 'Skew and modes'). A plan in time leaves room for them where it can.
ENOUGH_BLOCKS = 10
# Where neither blocks nor a budget were asked for.
DEFAULT_MAX_BLOCKS = 40
# A verdict is no answer while it leaves more open than this on either side: '10 to 120 % slower' decides nothing.
ROUGHLY = math.log(1.12)
# From here on an operation is long: people wait for each, and what starting again changes is small beside it.
LONG_S = 0.5
# A settling batch is half as long as the batch that counts: it brings back caches after a switch, and says nothing.
SETTLING_SHARE = 0.5

# Where the services of a run work while its subjects are kept on one processor.
OTHERS, SUBJECTS = "others", "subjects"
# The word of a plan that says what stood in for a service that others run.
SERVICE = "service"


class Until(StrEnum):
    """What a comparison must have before it leaves the later blocks."""

    DIRECTION = "direction"  # slower or faster, by however little, or no more than the margin
    VERDICT = "verdict"  # slower or faster by at least the margin and about how much, or no more than the margin
    PRECISE = "precise"  # a verdict, and an interval narrow enough to plan with
    BUDGET = "budget"  # nothing: the budget alone ends the run
    CONDITIONS = "conditions"  # an answer to every condition that was given (`Stopping.conditions`)


@dataclass(frozen=True)
class Stopping:
    """When a run ends.

    Attributes:
        margin: the smallest cost that matters, 0.02 is 2 %.
        alpha: the error level that the primary comparisons share.
        max_blocks: the most blocks that are run; None: as many as fit into the budget.
        fixed_blocks: run exactly so many (the fixed-N design); None for the sequential one.
        budget_s: the most seconds that a session may take, its pilot included; None for no limit.
        extends: the budget was not asked for, so a run whose first verdicts take longer may take longer.
        until: what ends a comparison. Run files from before this was a choice do not say it: they had PRECISE.
        conditions: limits that were given with the run; a comparison stays until those about it are answered too.
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
    """What the operations carry, and which of them contain which: what can be held against impossible figures.

    Attributes:
        size_factor: the factor whose levels are the size of the body that every operation carries.
        sizes: its levels in bytes.
        parts: operation -> the operations whose whole work it does as a part of its own, the nearest first.
        bytes_s: operation -> what it does beyond its parts passes over the body, and never faster than so.
        operation_factor: the factor whose levels are the operations; empty where it is the control.
        metadata: the operations that move no body, whatever its size.
        waits: a part -> what it may wait for and its whole not, so that a quicker whole is doubted, and not refused.
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
    """Work that the baseline does and a treatment may leave out, so that it can be the faster one.

    Attributes:
        operations: levels of the contents' operation factor (of the control, where that is empty) that do the work.
        witness: its value differs between the two where the work was left out.
        words: what is left out, in a few words; why: the reason, in a sentence.
    """

    operations: tuple[str, ...]
    witness: str
    words: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Procedure:
    """What varies, what is observed, and how: an experiment's design says it, and the plan of a run keeps it.

    Attributes:
        control: name of the factor whose levels are compared.
        factors: with the levels of this run; the control's among them.
        metrics: the first is the one that primary comparisons use.
        transfers: what of the result holds elsewhere, in a sentence.
        batch_s: seconds that a batch should last; 0 where operations are timed one by one, so that one is enough.
        rounds_range: the fewest and the most rounds of a block.
        warms_up: False where nothing is to warm up before it counts: every operation is a process of its own, or a
            study did not.
        settles: False where a batch counts without one before it that is thrown away.
        equal_counts: batches of a cell have equally many operations instead of an equal length, since every operation
            is a process of its own.
        one_processor: all subjects work on one thread and take turns on the same processor.
        services_on: where what serves the subjects then works. `OTHERS`: on the other processors. `SUBJECTS`: on that
            of the subjects, which it starts, and sectax on the others. Empty where nothing serves them.
        gap_s: idle seconds from one operation of a subject to its next where their pace is spaced.
        together: whole cells of so many treatments at most are open at once and visited in the same rounds, so that
            they fill each other's gaps; 0: every cell by itself.
        choices: what had to be chosen where a published study is silent.
        equal_witnesses: names of the witnesses that all treatments of a cell share when they do equal work.
        shortcuts: known ones, which are named where a treatment is faster than its baseline.
        words: what a person calls a level (`php` -> `PHP`) or `metric=NAME`, and `empty loop`.
        contents: None where operations carry no body.
        answered_by: which metric answers the question and why, in a sentence.
        beside: names of the metrics that are shown with the first wherever it is.
        hosts: other hosts than this machine on which subjects run, by the names that the specs have for them.
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
        """Whether every operation is timed by itself, however many a visit has."""
        return self.batch_s <= 0

    @property
    def chooses_rounds(self) -> bool:
        """Whether the pilot decides how many rounds a block has."""
        return self.rounds_range[0] < self.rounds_range[1]

    @property
    def batch_observation(self) -> str | None:
        """The observations that are the run's batches, as they lasted: of the first metric made of elapsed times."""
        of_time = (metric for metric in self.metrics if metric.summary is Summary.RATE or metric.unit == "s")
        return next((metric.observed for metric in of_time if not metric.cpu), None)

    @property
    def tail_observations(self) -> frozenset[str]:
        """The observations of which every single one is kept, since a metric takes their tail."""
        return frozenset(metric.observed for metric in self.metrics if metric.summary.tail is not None)

    def treatment(self, treatment_id: str) -> Treatment:
        return next(treatment for treatment in self.treatments if treatment.id == treatment_id)

    def cell(self, cell_id: str) -> Cell:
        return next(cell for cell in self.cells if cell.id == cell_id)

    def target_batch_s(self, cell: Cell) -> float:
        """Seconds that a batch of this cell should last."""
        return self.batch_s if cell.batch_s is None else cell.batch_s

    def metric(self, name: str) -> Metric:
        return next(metric for metric in self.metrics if metric.name == name)

    def nominal_cost(self, treatment: Treatment) -> float:
        """What a positive control is meant to cost more, as a share."""
        return treatment.extra or 2 * self.stopping.margin

    def known_cost(self, treatment: Treatment, calibrated: Calibrated | None) -> float | None:
        """What a positive control really cost more, as a share; None where the run was not calibrated for it.

        A subject that runs no extra operations adds the nominal cost by itself.
        """
        if not treatment.extra:
            return self.nominal_cost(treatment)
        calibration = None if calibrated is None else calibrated.calibrations.get(treatment.id)
        rounds = None if calibrated is None else calibrated.rounds.get(treatment.cell)
        return calibration.known_extra(treatment.extra, rounds) if calibration is not None and rounds else None

    def added_s(self, treatment: Treatment, calibrated: Calibrated | None) -> float:
        """Seconds that a positive control adds to every operation, as a share of what the pilot saw of its baseline.

        0 for other treatments, and before a pilot has seen the baseline.
        """
        if treatment.role is not Role.POSITIVE or calibrated is None:
            return 0.0
        baseline = calibrated.calibrations.get(self.cell(treatment.cell).baseline)
        if baseline is None:
            return 0.0
        return self.nominal_cost(treatment) * (baseline.typical_s or baseline.operation_s)

    def last_look(self, calibrated: Calibrated | None) -> int:
        """The block after which a run ends at the latest: what the error level of its looks is shared over."""
        if self.stopping.fixed_blocks is not None:
            return max(self.stopping.fixed_blocks, FIRST_LOOK)
        frozen = None if calibrated is None else calibrated.last_look
        return max(frozen or self.stopping.max_blocks or DEFAULT_MAX_BLOCKS, FIRST_LOOK)

    def once_s(self, calibrated: Calibrated) -> float:
        """Seconds that go once into a run, for the cells that one block alone measures."""
        once = {cell.id for cell in self.cells if cell.once}
        here = [member for member in self.treatments if member.cell in once and member.id in calibrated.calibrations]
        return sum(calibrated.calibrations[member.id].batch_s * calibrated.rounds[member.cell] for member in here)


@dataclass(frozen=True)
class Calibration:
    """What the pilot found out about one treatment, frozen for the whole run.

    Attributes:
        count: operations per batch.
        warmup: batches that are run and thrown away at the start of every process.
        batch_s: how long a batch lasts by the clock of the plan's first metric where nothing disturbs it.
        open_s: about how long it takes to start the subject and make it ready.
        granularity_s, clock_read_s: of the clock that times the batches.
        empty_s: what an empty operation costs in the same loop; None where it was not measured.
        settle: whether a batch that counts comes after one that is thrown away.
        settled: whether the pilot saw the end of the warm-up.
        waits_s: how much longer than its batch a visit takes whoever makes it, idle gaps between operations aside.
        shortest_s: the shortest batch that the clocks allow.
        most, fewest: operations that a batch may have; None where any number fits.
        warmup_s: what the warm-up adds to a block, by the pilot; None where its batches last as long as those after it.
        typical_s: one operation by itself, the mean over the pilot's batches, as other work on the machine makes it.
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
        """How many operations are run and thrown away before a batch that counts."""
        return math.ceil(self.count * SETTLING_SHARE) if self.settle else 0

    @property
    def settled_batch_s(self) -> float:
        """About how long a batch that counts lasts together with the one before it that is thrown away."""
        return self.batch_s * (1 + self.settling_operations / self.count)

    @property
    def warming_up_s(self) -> float:
        """Seconds that its warm-up adds to a block."""
        return self.warmup * self.batch_s if self.warmup_s is None else self.warmup_s

    def extra_operations(self, extra: float, rounds: int) -> int:
        """How many operations a known extra cost is in a block: as near as whole ones come, and at least one."""
        return max(1, round(self.count * rounds * extra)) if extra else 0

    def known_extra(self, extra: float, rounds: int) -> float:
        """The share of extra operations that a block really runs, e.g. 0.0417 for 5 among 120."""
        return self.extra_operations(extra, rounds) / (self.count * rounds)


@dataclass(frozen=True)
class Calibrated:
    """The pilot's whole result.

    Attributes:
        calibrations: by treatment; one that could not be tried is not here.
        rounds: per block, by cell.
        last_look: the block after which a run ends at the latest; None where the plan alone says it.
        pace: how many times longer the pilot's visits took than the fastest of them: what other work on this machine
            makes of announced times.
    """

    calibrations: dict[str, Calibration]
    rounds: dict[str, int]
    last_look: int | None = None
    pace: float = 1.0
