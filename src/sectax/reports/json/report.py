"""The document of one run: everything that the other reports say, in base units, with stable identifiers."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from sectax.model.analysed import Analysed, FamilyControls, RunReport
from sectax.model.finding import TreatmentResult
from sectax.model.measured import Measured
from sectax.model.metric import Better
from sectax.model.plan import Until, last_look
from sectax.model.subject import Witness
from sectax.model.treatment import CONTROLS, Role
from sectax.reports.diagnostics import all_skipped, all_warnings
from sectax.reports.json.findings import Estimate, Finding, Warning, estimate, finding, warning
from sectax.reports.json.parts import NOT_ASKED, NOT_KNOWN, Levels, Missing, Object, WithGaps, fill, known
from sectax.reports.reasons import no_effect, no_estimate
from sectax.reports.words import summary


class Run(WithGaps, frozen=True):
    """The run file and how far it came."""

    id: str
    path: str
    started: str
    state: Literal["running", "finished", "interrupted"]
    trouble: Annotated[str | None, Meta(description="Why the run or its record could not go on.")]
    blocks: Annotated[int, Meta(description="Finished blocks.")]
    block_seconds: float | None
    # Circumstances (host name, load) and the options that were given stay in the run file: a report is made to be
    # shared.
    sessions: Annotated[
        tuple[dict[str, str], ...], Meta(description="The identity of the host and software of every session.")
    ]
    notes: tuple[str, ...]
    scope: str
    wrong_expected: Annotated[
        float, Meta(description="How many wrong claims to expect among the secondary comparisons.")
    ]


class Stopping(WithGaps, frozen=True):
    """When the run ends."""

    margin: float
    alpha: float
    until: Until
    max_blocks: int
    fixed_blocks: int | None
    budget_seconds: float | None


class Factor(Object, frozen=True):
    """What varies."""

    name: str
    levels: tuple[str, ...]


class Metric(Object, frozen=True):
    """What is measured."""

    name: str
    unit: str
    better: Better
    summary: str
    resolution: float
    compared: Annotated[
        bool, Meta(description="Whether treatments are compared in it; otherwise each is reported by itself.")
    ]
    cpu: Annotated[bool, Meta(description="Whether it is CPU time.")]


class Cell(Object, frozen=True):
    """Treatments that meet the same baseline."""

    id: str
    levels: Levels
    family: str
    baseline: str


class Plan(Object, frozen=True):
    """What was decided before the first block."""

    experiment: str
    preset: str
    question: str
    transfers: str
    control: Annotated[str, Meta(description="The factor whose levels are compared.")]
    seed: int
    answered_by: str
    choices: tuple[str, ...]
    stopping: Stopping
    factors: tuple[Factor, ...]
    metrics: tuple[Metric, ...]
    cells: tuple[Cell, ...]


class MetricEstimate(WithGaps, frozen=True):
    """A treatment's figure in one metric of the plan."""

    metric: str
    estimate: Estimate | None


class Treatment(WithGaps, frozen=True):
    """One treatment by itself."""

    id: str
    levels: Levels
    role: Role
    state: str
    reason: str
    blocks: int
    estimates: tuple[MetricEstimate, ...]
    witnesses: Annotated[dict[str, Witness], Meta(description="What the subjects said they are.")]
    telemetry: Annotated[
        dict[str, float] | None,
        Meta(description="What the kernel or the service counted while its batches ran, summed over them."),
    ]
    empty_share: float | None


class Controls(WithGaps, frozen=True):
    """How the run's controls of itself came out for one family of cells."""

    family: str
    negative: Finding | None
    positive: Finding | None
    noise_floor: float | None
    smallest_seen: float | None
    known_cost: Annotated[float | None, Meta(description="What the positive control really cost more, as a share.")]


class Skipped(Object, frozen=True):
    """What cannot be measured here."""

    treatment: str
    levels: Levels
    reason: str
    hint: Annotated[str, Meta(description="The command that changes it; empty where none is known.")] = field(
        name="mend"
    )


class Failure(Object, frozen=True):
    """What failed or was skipped once the run had begun; what is not a treatment stands here by its own name."""

    block: Annotated[int, Meta(description="0 is the pilot.")]
    treatment: str
    stage: str
    state: Literal["failed", "skipped"]
    reason: str
    hint: str


class Report(Object, frozen=True, tag_field="schema", tag="sectax/report/1"):
    """One run, judged. Numbers are in base units: seconds, bytes, operations per second, shares."""

    run: Run
    plan: Plan
    treatments: tuple[Treatment, ...]
    findings: Annotated[
        tuple[Finding, ...], Meta(description="Primary and secondary comparisons, in the order of the plan.")
    ]
    controls: tuple[Controls, ...]
    warnings: Annotated[tuple[Warning, ...], Meta(description="Every warning once, F first.")]
    skipped: Annotated[
        tuple[Skipped, ...], Meta(description="Known before the run, or said by the subject later; each once.")
    ]
    failures: tuple[Failure, ...]
    summary: Annotated[tuple[str, ...], Meta(description="The findings in words.")]


def structure(result: RunReport) -> Report:
    """The document of a judged run."""
    analysed = result.analysed
    measured, plan = analysed.measured, analysed.measured.plan
    return Report(
        run=fill(
            Run,
            measured,
            id=measured.run_id,
            path=result.path,
            trouble=result.trouble or Missing("nothing went wrong"),
            blocks=len(measured.blocks),
            block_seconds=known(measured.block_s, "no block is finished"),
            # Circumstances (host name, load) and the options that were given stay in the run file: a report is made to
            # be shared.
            sessions=tuple(session.whole_identity() for session in measured.sessions),
            scope=analysed.scope,
            wrong_expected=analysed.wrong_expected,
        ),
        plan=_plan(measured),
        treatments=tuple(_treatment(analysed, each) for each in analysed.treatments),
        findings=tuple(
            finding(each, no_effect(analysed, each), plan.metric(each.comparison.metric))
            for each in analysed.findings
            if each.comparison.standing not in CONTROLS
        ),
        controls=tuple(_controls(analysed, each) for each in analysed.controls),
        warnings=tuple(warning(each) for each in all_warnings(analysed)),
        skipped=tuple(fill(Skipped, each) for each in all_skipped(measured)),
        failures=tuple(fill(Failure, each) for each in measured.failures),
        summary=tuple(summary(analysed)),
    )


def _plan(measured: Measured) -> Plan:
    plan, stopping = measured.plan, measured.plan.stopping
    return fill(
        Plan,
        plan,
        stopping=fill(
            Stopping,
            stopping,
            max_blocks=last_look(plan, measured.calibrated),
            fixed_blocks=known(stopping.fixed_blocks, NOT_ASKED),
            budget_seconds=known(stopping.budget_s, NOT_ASKED),
        ),
        factors=tuple(fill(Factor, each) for each in plan.factors),
        metrics=tuple(fill(Metric, each) for each in plan.metrics),
        cells=tuple(fill(Cell, each) for each in plan.cells),
    )


def _treatment(analysed: Analysed, result: TreatmentResult) -> Treatment:
    estimates = result.estimates
    return fill(
        Treatment,
        result,
        id=result.treatment,
        estimates=tuple(
            fill(
                MetricEstimate,
                metric=name,
                estimate=estimate(estimates[name]) if name in estimates else Missing(no_estimate(result)),
            )
            for name in (metric.name for metric in analysed.measured.plan.metrics)
        ),
        telemetry=known(analysed.measured.telemetry.get(result.treatment), "nothing was recorded"),
        empty_share=known(result.empty_share, "the empty loop was not measured"),
    )


def _controls(analysed: Analysed, controls: FamilyControls) -> Controls:
    both = {
        name: finding(each, no_effect(analysed, each)) if each else Missing("there was none")
        for name, each in (("negative", controls.negative), ("positive", controls.positive))
    }
    numbers = {
        name: known(getattr(controls, name), NOT_KNOWN) for name in ("noise_floor", "smallest_seen", "known_cost")
    }
    return fill(Controls, controls, **both, **numbers)
