"""The evidence of our own runs: treatments and comparisons, block by block."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median

from sectax.audit.form import FEWEST_OF_SHAPE, Claim, EndsBy, Evidence, Moves, Quantity, Series, Setting, TrialWork
from sectax.formats.time_stops import compared_texts
from sectax.model.finding import Finding, VerdictId
from sectax.model.measured import BatchShape, BatchStatistics, Measured
from sectax.model.metric import Metric, Summary
from sectax.model.plan import Calibration, Plan
from sectax.model.subject import Witness
from sectax.model.treatment import CONTROLS, Comparison, Role, Treatment

# The metric of the time of a whole command.
COMMAND_TIME = "wall"
# A trial that ends by the clock ends a little late, after its last operation, and never early.
EARLY, LATE = 0.995, 1.05
# Statistics that one block can estimate, even from few observations.
CENTRES = (Summary.RATE, Summary.MEAN, Summary.MEDIAN)
_QUANTITIES = {"s": Quantity.TIME, "operations/s": Quantity.RATE, "B/s": Quantity.BANDWIDTH, "B": Quantity.MEMORY}


@dataclass(frozen=True, eq=False)
class Arm:
    """One treatment of a run, with its figures. None means unknown, never zero."""

    id: str
    treatment: Treatment
    batch: str | None  # the name of the observations that are batches
    series: Mapping[Metric, Series]
    witnesses: Mapping[str, tuple[Witness, ...]]  # every distinct witnessed value
    batches: BatchStatistics | None
    shapes: Mapping[int, BatchShape]  # of its batches, by block
    telemetry: Mapping[str, float]  # totals over its counted batches
    calibration: Calibration | None

    @property
    def waited_s(self) -> float | None:
        """Seconds in which it was ready to run and waited (CPU, hypervisor, quota).

        None without the run-queue delay, which is the largest part. Steal and throttling are added where known.
        """
        if "run_queue_delay_s" not in self.telemetry:
            return None
        return sum(self.telemetry.get(name, 0.0) for name in ("run_queue_delay_s", "steal_s", "throttled_s"))

    @property
    def queued(self) -> float | None:
        """The share of the observed time in which it waited for a processor."""
        waited_s = self.telemetry.get("run_queue_delay_s")
        batch_s = next((length for metric, length in self.lengths.items() if metric.observed == self.batch), 0.0)
        spanned_s = self.telemetry.get("spanned_s") or (self.batches.batches * batch_s if self.batches else 0.0)
        return None if waited_s is None or not spanned_s else waited_s / spanned_s

    @property
    def batch_s(self) -> float | None:
        """The median batch length over the blocks, by the clock of the first metric."""
        return next(iter(self.lengths.values()), None)

    @cached_property
    def lengths(self) -> dict[Metric, float]:
        """Typical batch length in seconds, by each metric that measures time."""
        if self.batches is None or not self.batches.batches:
            return {}
        operations = self.batches.operations / self.batches.batches
        return {
            metric: operations * median(series.block_seconds.values())
            for metric, series in self.series.items()
            if metric.summary in CENTRES and series.block_seconds
        }


class RunEvidence(Evidence):
    """One run, with its findings before any warning.

    `series` are the treatments in each metric, without the run's own controls.
    """

    is_run = True

    def __init__(self, measured: Measured, findings: tuple[Finding, ...]) -> None:
        super().__init__(findings=findings, margin=measured.plan.stopping.margin)
        self.measured = measured
        arms = [arm for arm in self.arms.values() if arm.treatment.role in (Role.BASELINE, Role.TREATMENT)]
        every = (arm.series[metric] for metric in self.plan.metrics for arm in arms)
        object.__setattr__(self, "series", tuple(series for series in every if series.count))

    @property
    def plan(self) -> Plan:
        return self.measured.plan

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        """Metrics by name, in the order of the plan; the first decides."""
        return {metric.name: metric for metric in self.plan.metrics}

    @cached_property
    def families(self) -> dict[str, str]:
        """The family of each cell."""
        return {cell.id: cell.family for cell in self.plan.cells}

    @cached_property
    def arms(self) -> dict[str, Arm]:
        """Treatments by id: those compared, and those that counted nothing."""
        compared = [finding.comparison for finding in self.measured_findings()]
        used = {arm for comparison in compared for arm in (comparison.treatment, comparison.baseline)}
        used |= {arm for arm, batches in self.measured.batches.items() if not batches.operations}
        return {item.id: _arm(self.measured, item) for item in self.plan.treatments if item.id in used}

    @cached_property
    def speeds(self) -> tuple[Series, ...]:
        """The treatments in the first metric that gives a typical time, from the center of each block."""
        speeds = [series for series in self.series if series.statistic in CENTRES and series.block_seconds]
        return tuple(series for series in speeds if series.table == speeds[0].table)

    @cached_property
    def trials(self) -> tuple[Series, ...]:
        """The batches of each treatment, by the shortest one."""
        return tuple(map(_batches, self.arms.values()))

    @cached_property
    def differences(self) -> dict[str, tuple[float, ...]]:
        """Those of metrics without steps."""
        fine = (
            finding.comparison for finding in self.compared if not self.metrics[finding.comparison.metric].resolution
        )
        return {comparison.id: self._paired(comparison) for comparison in fine}

    def _paired(self, comparison: Comparison) -> tuple[float, ...]:
        import numpy as np

        from sectax.stats.hosts import summarize_hosts
        from sectax.stats.moments import paired_differences

        columns, machines = self.measured.values.get(comparison.metric, {}), self.measured.machines
        sides = [columns.get(arm, {}) for arm in (comparison.baseline, comparison.treatment)]
        both = [block for block in self.measured.blocks if block in sides[0] and block in sides[1]]
        baseline, treatment = (np.array([side[block] for block in both], dtype=np.float64) for side in sides)
        paired = paired_differences(baseline, treatment, self.metrics[comparison.metric].better)
        if len(machines) > 1:
            # Differences between hosts are neither modes of processes nor drift.
            place = {block: of_host for of_host, blocks in enumerate(machines.values()) for block in blocks}
            host = np.array([place[block] for block in both], dtype=np.int64)
            means = summarize_hosts(paired[None], host).mean[0]
            paired = paired - means[host] + np.nanmean(means)
        return tuple(paired[np.isfinite(paired)].tolist())

    @cached_property
    def commands(self) -> dict[Series, str]:
        """The command lines as typed, with the levels of their factors."""
        texts, commands = compared_texts(self.plan), {}
        for series in self.series:
            text = texts.get(series.levels.get(self.plan.control, ""))
            if series.metric == COMMAND_TIME and series.values and text is not None:
                for name, level in series.levels.items():
                    text = text.replace(f"{{{name}}}", level)
                commands[series] = text
        return commands

    @cached_property
    def medians(self) -> list[tuple[str, Series, Series]]:
        batches = {trial.id: trial for trial in self.trials}
        return [
            (finding.comparison.id, batches[sides[0].id], batches[sides[1].id])
            for finding in self.measured_findings()
            if (metric := self.metrics[finding.comparison.metric]).summary is Summary.MEDIAN
            if metric.observed == self.plan.batch_observation and (sides := self.sides(finding))
        ]

    def measured_findings(self) -> Iterable[Finding]:
        return (finding for finding in self.findings if finding.verdict != VerdictId.NOT_MEASURED)

    @property
    def compared(self) -> list[Finding]:
        """The measured findings, without the run's own controls."""
        return [finding for finding in self.measured_findings() if finding.comparison.standing not in CONTROLS]

    def sides(self, finding: Finding) -> tuple[Arm, Arm] | None:
        """The treatment and the baseline of a comparison, where both were measured."""
        both = [self.arms.get(arm) for arm in (finding.comparison.treatment, finding.comparison.baseline)]
        return (both[0], both[1]) if both[0] is not None and both[1] is not None else None


def _arm(measured: Measured, treatment: Treatment) -> Arm:
    id, calibrated = treatment.id, measured.calibrated
    telemetry = measured.telemetry.get(id, {})
    work = _work(measured.plan, treatment, telemetry)
    return Arm(
        id=id,
        treatment=treatment,
        batch=measured.plan.batch_observation,
        series={metric: _series(measured, treatment, metric, work) for metric in measured.plan.metrics},
        witnesses=measured.witnesses.get(id, {}),
        batches=measured.batches.get(id),
        shapes=measured.shapes.get(id, {}),
        telemetry=telemetry,
        calibration=None if calibrated is None else calibrated.calibrations.get(id),
    )


def _series(measured: Measured, treatment: Treatment, metric: Metric, work: TrialWork) -> Series:
    values = measured.values.get(metric.name, {}).get(treatment.id, {})
    blocks = tuple(block for block in measured.blocks if block in values)
    samples = measured.samples.get(metric.observed, {}).get(treatment.id, {})
    return Series(
        id=f"{treatment.id}:{metric.name}",
        table=metric.name,
        levels=treatment.levels,
        metric=metric.name,
        quantity=_QUANTITIES.get(metric.unit, Quantity.OTHER),
        count=measured.counts.get(metric.name, {}).get(treatment.id, 0),
        values=tuple(values[block] for block in blocks),
        work=work,
        treatment=treatment.id,
        is_baseline=treatment.role is Role.BASELINE,
        blocks=blocks,
        statistic=metric.summary.value,
        samples=() if metric.summary.tail is None else tuple(samples.values()),
        compared=metric.compared,
    )


def _batches(arm: Arm) -> Series:
    """Build the series of the counted batches of one treatment."""
    batches = arm.batches if arm.batches is not None and arm.batches.batches > 0 else None
    operations = None if arm.batches is None else arm.batches.operations
    # By this witness a subject reports that the clock may end it.
    reported = (value for value in arm.witnesses.get("configured_s", ()) if isinstance(value, int | float))
    ends_by, configured_s = None, next(reported, None)
    if batches is not None and configured_s is not None:
        ended = EARLY * configured_s <= (arm.batch_s or 0.0) <= LATE * configured_s
        ends_by = EndsBy.TIME if ended else EndsBy.EVENTS
    # A failed operation ends its trial, so a count without reported errors has none.
    failures = arm.telemetry.get("errors") if operations else None
    blocks = max((len(series.blocks) for metric, series in arm.series.items() if metric.resolution == 0), default=0)
    too_few = batches is not None and batches.batches < FEWEST_OF_SHAPE * blocks
    return Series(
        id=arm.id,
        table=arm.id,
        levels=arm.treatment.levels,
        metric="batch",
        quantity=Quantity.TIME if ends_by is None else Quantity.TOTAL_TIME,
        claims=() if batches is None else (Claim(arm.id, "min", batches.shortest_s),),
        work=TrialWork(operations=operations, failures=failures, configured_s=configured_s, ends_by=ends_by),
        # A subject that does not know its clock resolution reports 0.
        setting=Setting(granularity_s=arm.calibration.granularity_s or None if arm.calibration else None),
        run=arm.id,
        treatment=arm.id,
        batches=batches,
        declared={name: (value, arm.witnesses.get(name, ())) for name, value in arm.treatment.declares.items()},
        shapes=arm.shapes or ({} if too_few else None),
    )


def _work(plan: Plan, treatment: Treatment, telemetry: Mapping[str, float]) -> TrialWork:
    """Describe one operation and its load."""
    contents, levels = plan.contents, treatment.levels
    operation = levels.get((contents.operation_factor if contents else "") or plan.control)
    loaded = replace(_load(telemetry), operation=operation)
    if contents is None or operation is None:
        return loaded
    size = contents.sizes.get(levels.get(contents.size_factor, ""))
    moves = Moves.METADATA if operation in contents.metadata else Moves.BODY
    return replace(
        loaded,
        moves=None if size is None else moves,
        contains=contents.parts.get(operation, ()),
        size_bytes=size,
        link_bytes_s=contents.bytes_s.get(operation),
        waits=contents.waits.get(operation),
    )


def _load(telemetry: Mapping[str, float]) -> TrialWork:
    """Read the load of the client from the telemetry of a subject."""

    def over(part: str, whole: str) -> float | None:
        return telemetry[part] / telemetry[whole] if part in telemetry and telemetry.get(whole) else None

    scheduled, dropped = telemetry.get("load_scheduled"), telemetry.get("load_dropped")
    sent = None if scheduled is None or dropped is None else scheduled - dropped
    sending_s = telemetry.get("load_sending_s")
    return TrialWork(
        client_cpu_share=over("load_cpu_s", "load_quota_s"),
        overlap_share=over("load_in_flight", "load_at_once"),
        target_rate=over("load_scheduled", "load_schedule_s"),
        achieved_rate=sent / sending_s if sent is not None and sending_s else None,
        operations=sent,
        dropped=dropped,
    )
