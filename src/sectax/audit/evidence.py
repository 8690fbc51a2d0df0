"""What the checks look at, whether we ran it ourselves or somebody else did: figures, and what is known about them.

`own_run`, `published` and the importers build it, and leave None what their source does not tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sectax.audit.figure import Contrast, Figure
from sectax.model.finding import Finding, Severity, VerdictId
from sectax.model.measured import BatchShape, BatchStatistics, BlockRecord, Visited
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


@dataclass(frozen=True)
class Incident:
    """What a file says of its own figures that takes them away (fatal) or makes them doubtful.

    Attributes:
        check: the id of the check that says it; that of an importer knows more of its tool than the figures do.
    """

    severity: Severity
    saw: str
    meaning: str
    check: str = "said-by-the-tool"


@dataclass(frozen=True)
class RunRecord:
    """How a run of ours was made, block by block, beside what came of it: what a forger must get right too.

    Attributes:
        blocks: the finished ones, by number and in order.
        sessions: how many there were. An interrupted one leaves one block behind that does not count.
        misdrawn: the blocks whose order is not the one that the run's seed draws for their number.
        sizes: operations of a batch, by treatment, as the run's last calibration has them.
        sized_again: the blocks after which the run notes that it changed them.
        processors: of the largest host; None where no host tells.
        cpu_of_batches: whether CPU time is of the batches alone; otherwise all of it lies within its block.
    """

    blocks: Mapping[int, BlockRecord]
    sessions: int = 1
    misdrawn: tuple[int, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    sized_again: tuple[int, ...] = ()
    processors: int | None = None
    cpu_of_batches: bool = False

    def visits(self) -> Iterator[tuple[int, str, Visited]]:
        """Every treatment of every block that was planned and did not fail there."""
        for number, block in self.blocks.items():
            for treatment, visited in block.visited.items():
                if visited.planned and not visited.failed:
                    yield number, treatment, visited

    def by_treatment(self) -> dict[str, dict[int, Visited]]:
        """The same visits, by treatment and block."""
        found: dict[str, dict[int, Visited]] = {}
        for number, treatment, visited in self.visits():
            found.setdefault(treatment, {})[number] = visited
        return found


@dataclass(frozen=True)
class Twice:
    """One quantity that a file tells in two ways: a sum beside its parts, a total beside a count and a mean.

    Attributes:
        what: of which measurement, in words.
        told, follows: the value as printed, and as it follows from other numbers; in one unit.
        from_: what it follows from, in words.
        slack: by how much the two may differ without a contradiction, because of printed digits.
        figures: ids of the figures that fall with it, as far as there are any.
        tolerance: what else the two may differ by, as a share; None for what tools that round usually need.
        severity: how grave it is that they differ: a warning where there is an honest reason, if a rare one.
    """

    what: str
    told: float
    follows: float
    from_: str
    slack: float
    figures: tuple[str, ...] = ()
    tolerance: float | None = None
    severity: Severity = Severity.FATAL


@dataclass(frozen=True)
class Evidence:
    """Everything that is to be doubted together.

    Attributes:
        figures: the numbers from which conclusions are drawn; of a run of ours each treatment in each metric, without
            the run's own controls.
        contrast: what the source of the figures compares; None where it compares nothing, or does not tell.
        imported: whether another tool wrote it, all of it at once.
        incidents: what its lines say besides figures.
        twice: what it tells in two ways.
        own: whether sectax ran it, so that controls are to be expected and a failed operation fails its trial. What
            follows is known of such a run alone.
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
        record: how its blocks were made; None where nothing was finished.
        seal: what the file's seals say; None where nobody asked.
    """

    figures: tuple[Figure, ...] = ()
    contrast: Contrast | None = None
    imported: bool = False
    incidents: tuple[Incident, ...] = ()
    twice: tuple[Twice, ...] = ()
    own: bool = False
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
    record: RunRecord | None = None
    seal: Seal | None = None

    @property
    def printed(self) -> tuple[Figure, ...]:
        """The figures of somebody else. Of a run of ours none: its blocks and arms tell more than a figure."""
        return () if self.own else self.figures

    def measured_findings(self) -> Iterable[Finding]:
        return (finding for finding in self.findings if finding.verdict != VerdictId.NOT_MEASURED)
