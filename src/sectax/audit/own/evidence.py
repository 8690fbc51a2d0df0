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
    """One treatment of a run of ours, beside its figures. None means not known, which is not the same as none.

    Attributes:
        declares: what its levels promise, by the names of the witnesses that must confirm it.
        witnesses: every different value that was seen, by name.
        granularity_s: the step of the clock that timed its batches.
        errors: operations that failed among those that were counted.
        throttled_s: time in which a CPU quota held it back during its counted batches.
        waited_s: time in which it was ready to run and waited: for a processor, for the hypervisor, for its quota.
        spanned_s: the time between the readings that both are the difference of.
        queued: the share of that time in which it was ready to run and waited for a processor.
        batch_s: how long its counted batches last by the clock of the metric that answers the run's question, the
            median over the blocks.
        settles: whether a batch that is thrown away stands before each that counts, and within those readings.
        settled: whether the pilot saw the end of its warm-up.
        shapes: how its batches lie, by block.
        values: metric -> block -> the block's value, of metrics that do not tie innocently.
    """

    id: str
    cell: str
    family: str
    role: Role
    declares: Mapping[str, Witness] = field(default_factory=dict)
    witnesses: Mapping[str, tuple[Witness, ...]] | None = None
    batches: BatchStatistics | None = None
    granularity_s: float | None = None
    errors: float | None = None
    throttled_s: float | None = None
    waited_s: float | None = None
    spanned_s: float | None = None
    queued: float | None = None
    batch_s: float | None = None
    settles: bool = False
    settled: bool | None = None
    shapes: Mapping[int, BatchShape] = field(default_factory=dict)
    values: Mapping[str, Mapping[int, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class KnownCost:
    """What a positive control cost more, as a share: as it was meant, and as whole operations made it."""

    nominal: float
    real: float


@dataclass(frozen=True, eq=False)
class BlockSeries(Series):
    """One metric of one treatment: a value for each block.

    Attributes:
        treatment: the key of the evidence's arms.
        statistic: what each value is of its block: rate, mean, median, max, p99.
        blocks: the block of each of `values`.
        samples: of a tail, which no block gives by itself, the observations of every block.
    """

    treatment: str = ""
    statistic: str = ""
    blocks: tuple[int, ...] = ()
    samples: tuple[Sequence[float], ...] = ()

    def seconds(self) -> dict[int, float]:
        """The time of one operation, by block."""
        times = {block: value for block, value in zip(self.blocks, self.values, strict=True) if value > 0}
        if self.quantity is Quantity.TIME:
            return times
        return {block: 1 / value for block, value in times.items()} if self.quantity is Quantity.RATE else {}


@dataclass(frozen=True)
class RunEvidence:
    """One run.

    Attributes:
        series: each treatment in each metric, without the run's own controls.
        arms: by treatment, in the order of the plan.
        findings: as judged, before any warning.
        families: family of every cell.
        metrics: by name, in the order of the plan: the first answers the question.
        batch: the name of the observations that are its batches.
        equal_witnesses: names of witnesses that all arms of a cell share when they do equal work.
        shortcuts: work that a treatment may leave out, so that it is faster.
        known_costs: of the positive controls, by treatment.
        margin: the smallest cost that matters, as a share.
        differences: comparison -> its paired differences in the order of the blocks, in logs, positive costlier; of
            comparisons that were measured, are no control, and whose metric does not come in steps.
        seal: what the file's seals say; None where nobody asked.
    """

    series: tuple[BlockSeries, ...] = ()
    arms: Mapping[str, Arm] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    families: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    batch: str | None = None
    equal_witnesses: tuple[str, ...] = ()
    shortcuts: tuple[Shortcut, ...] = ()
    known_costs: Mapping[str, KnownCost] = field(default_factory=dict)
    margin: float = 0.0
    preset: str = ""
    differences: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    seal: Seal | None = None

    def measured_findings(self) -> Iterable[Finding]:
        return (finding for finding in self.findings if finding.verdict != VerdictId.NOT_MEASURED)

    def sides(self, finding: Finding) -> tuple[Arm, Arm] | None:
        """The treatment and the baseline of a comparison, where both were measured."""
        both = [self.arms.get(arm) for arm in (finding.comparison.treatment, finding.comparison.baseline)]
        return (both[0], both[1]) if both[0] is not None and both[1] is not None else None
