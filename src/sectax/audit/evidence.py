"""What the checks look at: a run of ours, or as much as someone else's numbers say.

Importers of other tools' output build `Evidence` themselves and leave None what their source does not tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median

from sectax.audit.figure import Contrast, Figure
from sectax.audit.own_figures import OwnFigure, own_figures
from sectax.model.finding import Finding, VerdictId
from sectax.model.measured import BatchShape, BatchStatistics, Measured
from sectax.model.metric import Metric, Summary
from sectax.model.plan import batch_observation, known_cost, nominal_cost
from sectax.model.subject import Witness
from sectax.model.treatment import CONTROLS, Role


@dataclass(frozen=True)
class Arm:
    """One treatment that was measured. None means not known, which is not the same as none.

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
class Evidence:
    """Everything that is to be doubted together.

    Attributes:
        arms: by id, in the order of the plan.
        findings: as judged, before any warning.
        families: family of every cell.
        observed: what every metric is made of.
        equal_witnesses: names of witnesses that all arms of a cell share when they do equal work.
        known_costs: of the positive controls, by treatment.
        own: whether sectax ran it, so that controls are to be expected and a failed operation fails its trial.
        figures: the numbers that somebody else draws conclusions from.
        own_figures: those of a run of ours. Most checks look at its arms, which hold more.
        metrics: of a run of ours, by name.
        batch: the name of the observations that are its batches.
        margin: the smallest cost that matters in a run of ours, as a share.
        preset: of a run of ours.
        differences: comparison -> its paired differences in the order of the blocks, in logs, positive costlier; of
            comparisons that were measured, are no control, and whose metric does not come in steps.
        contrast: what the source of the figures compares; None where it compares nothing, or does not tell.
    """

    arms: Mapping[str, Arm]
    findings: tuple[Finding, ...]
    families: Mapping[str, str]
    observed: Mapping[str, str]
    equal_witnesses: tuple[str, ...] = ()
    known_costs: Mapping[str, KnownCost] = field(default_factory=dict)
    own: bool = True
    figures: tuple[Figure, ...] = ()
    own_figures: tuple[OwnFigure, ...] = ()
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    batch: str | None = None
    margin: float = 0.0
    preset: str = ""
    differences: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    contrast: Contrast | None = None

    def measured_findings(self) -> Iterable[Finding]:
        return (finding for finding in self.findings if finding.verdict != VerdictId.NOT_MEASURED)


def evidence_of(measured: Measured, findings: Iterable[Finding]) -> Evidence:
    """A run of ours as evidence. A treatment that no comparison measured is left out, unless it counted nothing."""
    plan = measured.plan
    families = {cell.id: cell.family for cell in plan.cells}
    judged = tuple(findings)
    used = {
        arm
        for finding in judged
        if finding.verdict != VerdictId.NOT_MEASURED
        for arm in (finding.comparison.treatment, finding.comparison.baseline)
    } | {arm for arm, batches in measured.batches.items() if not batches.operations}
    metrics = {metric.name: metric for metric in plan.metrics}
    arms = {}
    for treatment in plan.treatments:
        if treatment.id not in used:
            continue
        calibrations = {} if measured.calibrated is None else measured.calibrated.calibrations
        calibration = calibrations.get(treatment.id)
        telemetry = measured.telemetry.get(treatment.id, {})
        lengths = _batches_s(measured, treatment.id)
        arms[treatment.id] = Arm(
            id=treatment.id,
            cell=treatment.cell,
            family=families[treatment.cell],
            role=treatment.role,
            declares=treatment.declares,
            witnesses=measured.witnesses.get(treatment.id),
            batches=measured.batches.get(treatment.id),
            # A subject that does not know its clock's step says 0.
            granularity_s=None if calibration is None else calibration.granularity_s or None,
            errors=telemetry.get("errors"),
            throttled_s=telemetry.get("throttled_s"),
            waited_s=_waited_s(telemetry),
            spanned_s=telemetry.get("spanned_s"),
            queued=_queued(measured, treatment.id, lengths),
            batch_s=next(iter(lengths.values()), None),
            settles=calibration is not None and calibration.settle,
            settled=None if calibration is None else calibration.settled,
            shapes=measured.shapes.get(treatment.id, {}),
            values={
                metric.name: measured.values.get(metric.name, {}).get(treatment.id, {})
                for metric in plan.metrics
                if metric.resolution == 0
            },
        )
    return Evidence(
        arms=arms,
        findings=judged,
        families=families,
        observed={metric.name: metric.observed for metric in plan.metrics},
        equal_witnesses=plan.equal_witnesses,
        known_costs=_known_costs(measured),
        own_figures=own_figures(measured, used),
        metrics=metrics,
        batch=batch_observation(plan),
        margin=plan.stopping.margin,
        preset=plan.preset,
        differences={
            finding.comparison.id: _differences(measured, finding, metrics[finding.comparison.metric])
            for finding in judged
            if finding.verdict != VerdictId.NOT_MEASURED
            and finding.comparison.standing not in CONTROLS
            and metrics[finding.comparison.metric].resolution == 0
        },
    )


def _waited_s(telemetry: Mapping[str, float]) -> float | None:
    """Without the run-queue delay the greater part is not known; steal and throttling are told where there are any."""
    if "run_queue_delay_s" not in telemetry:
        return None
    return sum(telemetry.get(name, 0.0) for name in ("run_queue_delay_s", "steal_s", "throttled_s"))


def _queued(measured: Measured, treatment: str, lengths: Mapping[str, float]) -> float | None:
    told, batches = measured.telemetry.get(treatment, {}), measured.batches.get(treatment)
    waited_s, batch = told.get("run_queue_delay_s"), batch_observation(measured.plan)
    batch_s = next(
        (lengths[each.name] for each in measured.plan.metrics if each.observed == batch and each.name in lengths), None
    )
    spanned_s = told.get("spanned_s") or (batches.batches * batch_s if batches and batch_s else 0.0)
    return None if waited_s is None or not spanned_s else waited_s / spanned_s


def _batches_s(measured: Measured, treatment: str) -> dict[str, float]:
    """How long a typical batch lasts by each metric that tells the time of an operation, in seconds."""
    batches = measured.batches.get(treatment)
    if batches is None or not batches.batches:
        return {}
    return {
        metric.name: operations_s * batches.operations / batches.batches
        for metric in measured.plan.metrics
        if (operations_s := _operation_s(metric, measured.values.get(metric.name, {}).get(treatment, {}).values()))
    }


def _operation_s(metric: Metric, values: Iterable[float]) -> float | None:
    """The median over the blocks of the time of one operation; None where the metric does not tell it."""
    if metric.summary is Summary.RATE:
        times = [1 / value for value in values if value > 0]
    elif metric.unit == "s" and metric.summary in (Summary.MEAN, Summary.MEDIAN):
        times = list(values)
    else:
        return None
    return median(times) if times else None


def _differences(measured: Measured, finding: Finding, metric: Metric) -> tuple[float, ...]:
    import numpy as np

    from sectax.stats.differences import paired_differences

    columns = measured.values.get(metric.name, {})
    sides = (columns.get(finding.comparison.baseline, {}), columns.get(finding.comparison.treatment, {}))
    both = [block for block in measured.blocks if block in sides[0] and block in sides[1]]
    baseline, treatment = (np.array([side[block] for block in both], dtype=np.float64) for side in sides)
    paired = paired_differences(baseline, treatment, metric.better)
    return tuple(paired[np.isfinite(paired)].tolist())


def _known_costs(measured: Measured) -> dict[str, KnownCost]:
    known = {}
    for treatment in measured.plan.treatments:
        if treatment.role is Role.POSITIVE:
            real = known_cost(measured.plan, measured.calibrated, treatment)
            if real is not None:
                known[treatment.id] = KnownCost(nominal_cost(measured.plan, treatment), real)
    return known
