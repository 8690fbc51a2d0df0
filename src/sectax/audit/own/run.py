"""A run of ours as evidence: its series with what one operation does, and what is known of every treatment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import median

from sectax.audit.form import Moves, Quantity, Work
from sectax.audit.own.evidence import Arm, BlockSeries, KnownCost, RunEvidence
from sectax.model.finding import Finding, VerdictId
from sectax.model.measured import Measured
from sectax.model.metric import Metric, Summary
from sectax.model.plan import batch_observation, known_cost, nominal_cost
from sectax.model.treatment import CONTROLS, Role, Treatment

_QUANTITIES = {"s": Quantity.TIME, "operations/s": Quantity.RATE, "B/s": Quantity.BANDWIDTH, "B": Quantity.MEMORY}


def evidence_of(measured: Measured, findings: Iterable[Finding]) -> RunEvidence:
    """A run of ours as evidence. A treatment that no comparison measured is left out, unless it counted nothing."""
    plan = measured.plan
    judged = tuple(findings)
    compared = [finding.comparison for finding in judged if finding.verdict != VerdictId.NOT_MEASURED]
    used = {arm for comparison in compared for arm in (comparison.treatment, comparison.baseline)}
    used |= {arm for arm, batches in measured.batches.items() if not batches.operations}
    treatments = [treatment for treatment in plan.treatments if treatment.id in used]
    metrics = {metric.name: metric for metric in plan.metrics}
    families = {cell.id: cell.family for cell in plan.cells}
    return RunEvidence(
        series=tuple(_series(measured, treatments)),
        arms={treatment.id: _arm(measured, treatment, families[treatment.cell]) for treatment in treatments},
        findings=judged,
        families=families,
        metrics=metrics,
        batch=batch_observation(plan),
        equal_witnesses=plan.equal_witnesses,
        words=plan.words,
        waits=plan.contents.waits if plan.contents is not None else {},
        shortcuts=plan.shortcuts,
        known_costs=_known_costs(measured),
        margin=plan.stopping.margin,
        preset=plan.preset,
        differences={
            comparison.id: _differences(measured, comparison.baseline, comparison.treatment, metrics[comparison.metric])
            for comparison in compared
            if comparison.standing not in CONTROLS and metrics[comparison.metric].resolution == 0
        },
    )


def _series(measured: Measured, treatments: Sequence[Treatment]) -> Iterable[BlockSeries]:
    """Every metric of every treatment that is no control of the run itself, metric by metric.

    A series' table is its metric, and `count` is that of the observations of all blocks. What `work.link_bytes_s`
    limits is what the operation does beyond those that it contains.
    """
    for metric in measured.plan.metrics:
        for treatment in treatments:
            count = measured.counts.get(metric.name, {}).get(treatment.id, 0)
            if not count or treatment.role not in (Role.BASELINE, Role.TREATMENT):
                continue
            values: Mapping[int, float] = measured.values.get(metric.name, {}).get(treatment.id, {})
            blocks = tuple(block for block in measured.blocks if block in values)
            samples = measured.samples.get(metric.observed, {}).get(treatment.id, {})
            yield BlockSeries(
                id=f"{treatment.id}:{metric.name}",
                table=metric.name,
                levels=treatment.levels,
                metric=metric.name,
                quantity=_QUANTITIES.get(metric.unit, Quantity.OTHER),
                statistic="max" if metric.summary is Summary.MAXIMUM else metric.summary.value,
                count=count,
                values=tuple(values[block] for block in blocks),
                work=_work(measured, treatment),
                treatment=treatment.id,
                blocks=blocks,
                samples=() if metric.summary.tail is None else tuple(samples.values()),
            )


def _work(measured: Measured, treatment: Treatment) -> Work:
    """What one operation of a treatment carries and contains, as the plan says, and what its load did to the client."""
    plan, contents = measured.plan, measured.plan.contents
    factor = contents.operation_factor if contents is not None else ""
    operation = treatment.levels.get(factor or plan.control)
    loaded = replace(_load(measured.telemetry.get(treatment.id, {})), operation=operation)
    if contents is None or operation is None:
        return loaded
    size = contents.sizes.get(treatment.levels.get(contents.size_factor, ""))
    moves = Moves.METADATA if operation in contents.metadata else Moves.BODY
    return replace(
        loaded,
        moves=None if size is None else moves,
        contains=contents.parts.get(operation, ()),
        size_bytes=size,
        link_bytes_s=contents.bytes_s.get(operation),
    )


def _load(telemetry: Mapping[str, float]) -> Work:
    """How busy a load kept its client, and how it kept its schedule, where a subject tells that of its batches."""

    def over(part: str, whole: str) -> float | None:
        return telemetry[part] / telemetry[whole] if part in telemetry and telemetry.get(whole) else None

    scheduled, dropped = telemetry.get("load_scheduled"), telemetry.get("load_dropped")
    sent = None if scheduled is None or dropped is None else scheduled - dropped
    sending_s = telemetry.get("load_sending_s")
    return Work(
        client_cpu_share=over("load_cpu_s", "load_quota_s"),
        overlap_share=over("load_in_flight", "load_at_once"),
        target_rate=over("load_scheduled", "load_schedule_s"),
        achieved_rate=sent / sending_s if sent is not None and sending_s else None,
        operations=sent,
        dropped=dropped,
    )


def _arm(measured: Measured, treatment: Treatment, family: str) -> Arm:
    calibrations = {} if measured.calibrated is None else measured.calibrated.calibrations
    calibration = calibrations.get(treatment.id)
    telemetry = measured.telemetry.get(treatment.id, {})
    lengths = _batches_s(measured, treatment.id)
    return Arm(
        id=treatment.id,
        cell=treatment.cell,
        family=family,
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
            for metric in measured.plan.metrics
            if metric.resolution == 0
        },
    )


def _waited_s(telemetry: Mapping[str, float]) -> float | None:
    """Without the run-queue delay the greater part is not known; steal and throttling are told where there are any."""
    if "run_queue_delay_s" not in telemetry:
        return None
    return sum(telemetry.get(name, 0.0) for name in ("run_queue_delay_s", "steal_s", "throttled_s"))


def _queued(measured: Measured, treatment: str, lengths: Mapping[str, float]) -> float | None:
    telemetry, batches = measured.telemetry.get(treatment, {}), measured.batches.get(treatment)
    waited_s, batch = telemetry.get("run_queue_delay_s"), batch_observation(measured.plan)
    of_batches = [
        metric.name for metric in measured.plan.metrics if metric.observed == batch and metric.name in lengths
    ]
    batch_s = lengths[of_batches[0]] if of_batches else 0.0
    spanned_s = telemetry.get("spanned_s") or (batches.batches * batch_s if batches else 0.0)
    return None if waited_s is None or not spanned_s else waited_s / spanned_s


def _batches_s(measured: Measured, treatment: str) -> dict[str, float]:
    """How long a typical batch lasts by each metric that tells the time of an operation, in seconds."""
    batches = measured.batches.get(treatment)
    if batches is None or not batches.batches:
        return {}
    return {
        metric.name: operation_s * batches.operations / batches.batches
        for metric in measured.plan.metrics
        if (operation_s := _operation_s(metric, measured.values.get(metric.name, {}).get(treatment, {}).values()))
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


def _differences(measured: Measured, baseline: str, treatment: str, metric: Metric) -> tuple[float, ...]:
    import numpy as np

    from sectax.stats.hosts import of_hosts
    from sectax.stats.moments import paired_differences

    columns = measured.values.get(metric.name, {})
    sides = (columns.get(baseline, {}), columns.get(treatment, {}))
    both = [block for block in measured.blocks if block in sides[0] and block in sides[1]]
    one, other = (np.array([side[block] for block in both], dtype=np.float64) for side in sides)
    paired = paired_differences(one, other, metric.better)
    if len(measured.machines) > 1:
        # What differs from host to host is no mode of processes and no drift.
        place = {block: of_host for of_host, blocks in enumerate(measured.machines.values()) for block in blocks}
        host = np.array([place[block] for block in both], dtype=np.int64)
        means = of_hosts(paired[None], host).mean[0]
        paired = paired - means[host] + np.nanmean(means)
    return tuple(paired[np.isfinite(paired)].tolist())


def _known_costs(measured: Measured) -> dict[str, KnownCost]:
    plan = measured.plan
    return {
        treatment.id: KnownCost(nominal_cost(plan, treatment), real)
        for treatment in plan.treatments
        if treatment.role is Role.POSITIVE
        if (real := known_cost(plan, measured.calibrated, treatment)) is not None
    }
