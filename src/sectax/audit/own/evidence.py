"""What the checks of our own runs look at: every treatment and comparison, block by block."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sectax.audit.form import Quantity, Series
from sectax.model.finding import Finding, VerdictId
from sectax.model.measured import BatchShape, BatchStatistics
from sectax.model.metric import Metric
from sectax.model.plan import Shortcut
from sectax.model.seal import Seal
from sectax.model.subject import Witness
from sectax.model.treatment import Role


@dataclass(frozen=True)
class Arm:
    """One treatment of a run of ours, beside its figures. None means not known, which is not the same as none."""

    id: str
    cell: str
    family: str
    role: Role
    # What its levels promise, by the names of the witnesses that must confirm it.
    declares: Mapping[str, Witness] = field(default_factory=dict)
    witnesses: Mapping[str, tuple[Witness, ...]] | None = None  # every different value that was seen, by name
    batches: BatchStatistics | None = None
    granularity_s: float | None = None  # the step of the clock that timed its batches
    errors: float | None = None  # operations that failed among those that were counted
    throttled_s: float | None = None  # time in which a CPU quota held it back during its counted batches
    # Time in which it was ready to run and waited: for a processor, for the hypervisor, for its quota.
    waited_s: float | None = None
    spanned_s: float | None = None  # the time between the readings that both are the difference of
    queued: float | None = None  # the share of that time in which it was ready to run and waited for a processor
    # The median over the blocks of its counted batches' length, by the clock that answers the run's question.
    batch_s: float | None = None
    # Whether a batch that is thrown away stands before each that counts, and within those readings.
    settles: bool = False
    settled: bool | None = None  # whether the pilot saw the end of its warm-up
    shapes: Mapping[int, BatchShape] = field(default_factory=dict)  # how its batches lie, by block
    # Metric -> block -> the block's value, of metrics that do not tie innocently.
    values: Mapping[str, Mapping[int, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class KnownCost:
    """What a positive control cost more, as a share: as it was meant, and as whole operations made it."""

    nominal: float
    real: float


@dataclass(frozen=True, eq=False)
class BlockSeries(Series):
    """One metric of one treatment: a value for each block."""

    treatment: str = ""  # the key of the evidence's arms
    statistic: str = ""  # what each value is of its block: rate, mean, median, max, p99
    blocks: tuple[int, ...] = ()  # the block of each of `values`
    # Of a tail, which no block gives by itself, the observations of every block.
    samples: tuple[Sequence[float], ...] = ()

    def seconds(self) -> dict[int, float]:
        """The time of one operation, by block."""
        times = {block: value for block, value in zip(self.blocks, self.values, strict=True) if value > 0}
        if self.quantity is Quantity.TIME:
            return times
        return {block: 1 / value for block, value in times.items()} if self.quantity is Quantity.RATE else {}


@dataclass(frozen=True)
class RunEvidence:
    """One run."""

    series: tuple[BlockSeries, ...] = ()  # each treatment in each metric, without the run's own controls
    arms: Mapping[str, Arm] = field(default_factory=dict)  # by treatment, in the order of the plan
    findings: tuple[Finding, ...] = ()  # as judged, before any warning
    families: Mapping[str, str] = field(default_factory=dict)  # family of every cell
    # By name, in the order of the plan: the first answers the question.
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    batch: str | None = None  # the name of the observations that are its batches
    equal_witnesses: tuple[str, ...] = ()  # that all arms of a cell share when they do equal work
    words: Mapping[str, str] = field(default_factory=dict)  # the plan's
    waits: Mapping[str, str] = field(default_factory=dict)  # an operation -> what it may wait for, and its whole not
    shortcuts: tuple[Shortcut, ...] = ()  # work that a treatment may leave out, so that it is faster
    known_costs: Mapping[str, KnownCost] = field(default_factory=dict)  # of the positive controls, by treatment
    margin: float = 0.0  # the smallest cost that matters, as a share
    preset: str = ""
    # Comparison -> its paired differences in the order of the blocks, in logs, positive costlier; of comparisons that
    # were measured, are no control, and whose metric does not come in steps.
    differences: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    seal: Seal | None = None  # what the file's seals say; None where nobody asked

    def measured_findings(self) -> Iterable[Finding]:
        return (finding for finding in self.findings if finding.verdict != VerdictId.NOT_MEASURED)

    def sides(self, finding: Finding) -> tuple[Arm, Arm] | None:
        """The treatment and the baseline of a comparison, where both were measured."""
        both = [self.arms.get(arm) for arm in (finding.comparison.treatment, finding.comparison.baseline)]
        return (both[0], both[1]) if both[0] is not None and both[1] is not None else None
