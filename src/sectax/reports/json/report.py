"""The JSON documents of a run and of a dry run, in base units."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType

from sectax.model.analysed import Analysed, FamilyControls, RunReport
from sectax.model.bill import Charge
from sectax.model.environment import CHANGED, FLAW, JOB, PROOF, REVISION
from sectax.model.finding import TreatmentResult
from sectax.model.metric import Better
from sectax.model.plan import Until
from sectax.model.subject import Witness
from sectax.model.treatment import CONTROLS, Factor, Role
from sectax.reports.diagnostics import all_skipped, all_warnings
from sectax.reports.json.findings import AcrossHosts, CheckWarning, Estimate, Finding, Limit, across_hosts, finding
from sectax.reports.json.parts import NOT_GIVEN, UNKNOWN, Levels, Object, WithMissing, doc, fill, known, null
from sectax.reports.reasons import no_effect, no_estimate
from sectax.reports.words.summaries import summary


class Run(WithMissing, frozen=True):
    """The run file and its progress."""

    id: Annotated[str, doc(at="run_id")]
    path: str
    started: str
    state: Literal["running", "finished", "interrupted"]
    trouble: Annotated[str | None, null("no error", "Why the run or its record could not continue.", when="")]
    blocks: Annotated[int, doc("Finished blocks.")]
    block_seconds: Annotated[float | None, null("no block is finished", at="block_s")]
    sessions: Annotated[tuple[dict[str, str], ...], doc("The identity of the host and software of every session.")]
    revision: Annotated[
        str | None, null("not measured in a git repository", "The commit that was checked out at the start.")
    ]
    changed: Annotated[bool | None, null(UNKNOWN, "Whether tracked files differed from that commit.")]
    job: Annotated[dict[str, str], doc("The CI job, by the names of its environment variables.")]
    proofs: Annotated[tuple[str, ...], doc("Test vectors that the subjects judged before anything was timed.")]
    flaws: Annotated[tuple[str, ...], doc("Vectors that a subject judged wrongly, with their numbers.")]
    notes: tuple[str, ...]
    scope: str
    wrong_expected: Annotated[float, doc("Expected number of wrong claims among the secondary comparisons.")]


class Stopping(WithMissing, frozen=True):
    """The stopping rule."""

    margin: float
    alpha: float
    until: Until
    max_blocks: int
    fixed_blocks: Annotated[int | None, null(NOT_GIVEN)]
    budget_seconds: Annotated[float | None, null(NOT_GIVEN, at="budget_s")]


class Metric(Object, frozen=True):
    """A metric of the plan."""

    name: str
    unit: str
    better: Better
    summary: str
    resolution: float
    compared: Annotated[bool, doc("Whether treatments are compared in it; otherwise only reported.")]
    cpu: Annotated[bool, doc("Whether it is CPU time.")]


class Cell(Object, frozen=True):
    """Treatments that are compared with one baseline."""

    id: str
    levels: Levels
    family: str
    baseline: str


class Plan(Object, frozen=True):
    """The plan of the run, fixed before the first block."""

    experiment: str
    preset: str
    question: str
    transfers: str
    control: Annotated[str, doc("The factor whose levels are compared.")]
    seed: int
    answered_by: str
    choices: tuple[str, ...]
    stopping: Stopping
    factors: tuple[Factor, ...]
    metrics: tuple[Metric, ...]
    cells: tuple[Cell, ...]


class MetricEstimate(WithMissing, frozen=True):
    """A treatment's figure in one metric of the plan."""

    metric: str
    estimate: Estimate | None


class Treatment(WithMissing, frozen=True):
    """The figures of one treatment."""

    id: Annotated[str, doc(at="treatment")]
    levels: Levels
    role: Role
    state: str
    reason: str
    blocks: int
    estimates: tuple[MetricEstimate, ...]
    witnesses: Annotated[dict[str, Witness], doc("Facts read from the running subjects.")]
    telemetry: Annotated[
        dict[str, float] | None,
        null("nothing was recorded", "Counters of the kernel or the service, summed over its batches."),
    ]
    empty_share: Annotated[float | None, null("the empty loop was not measured")]


class Controls(WithMissing, frozen=True):
    """The result of the run's own controls for one family of cells."""

    family: str
    negative: Annotated[Finding | None, null("no such control")]
    positive: Annotated[Finding | None, null("no such control")]
    noise_floor: Annotated[float | None, null(UNKNOWN)]
    smallest_seen: Annotated[float | None, null(UNKNOWN)]
    known_cost: Annotated[float | None, null(UNKNOWN, "The real added cost of the positive control, as a share.")]


class Skipped(Object, frozen=True):
    """A treatment that cannot be measured here."""

    treatment: str
    levels: Levels
    reason: str
    hint: Annotated[str, doc("The command that changes it; empty if unknown.")]


class Failure(Object, frozen=True):
    """A failure or skip after the start of the run."""

    block: Annotated[int, doc("0 is the pilot.")]
    treatment: str
    stage: str
    state: Literal["failed", "skipped"]
    reason: str
    hint: str


class Report(Object, frozen=True, tag_field="schema", tag="sectax/report/2"):
    """A run with its findings, in seconds, bytes, operations per second and shares."""

    run: Run
    plan: Plan
    treatments: tuple[Treatment, ...]
    findings: Annotated[tuple[Finding, ...], doc("Primary and secondary comparisons, in the order of the plan.")]
    controls: tuple[Controls, ...]
    warnings: Annotated[tuple[CheckWarning, ...], doc("Every warning once, F first.")]
    skipped: Annotated[tuple[Skipped, ...], doc("Skipped by the plan, or later by their subject; each once.")]
    failures: tuple[Failure, ...]
    conditions: Annotated[tuple[Limit, ...], doc("The conditions of `--fail-if`, given to the run or to `show`.")]
    summary: Annotated[tuple[str, ...], doc("The findings in words.")]
    hosts: Annotated[
        tuple[AcrossHosts, ...] | UnsetType, doc("Comparisons host by host; left out for a run on one host.")
    ] = UNSET

    @classmethod
    def of(cls, result: RunReport, /) -> Self:
        analysed = result.analysed
        measured, plan = analysed.measured, analysed.measured.plan
        code = measured.revision
        return fill(
            cls,
            run=fill(
                Run,
                measured,
                path=result.path,
                trouble=result.trouble,
                blocks=len(measured.blocks),
                # Circumstances (host name, load) and options stay in the run file, since reports are shared.
                sessions=tuple(session.whole_identity() for session in measured.sessions),
                revision=code.get(REVISION),
                changed={"yes": True, "no": False}.get(code.get(CHANGED, "")),
                job={name.removeprefix(JOB): value for name, value in code.items() if name.startswith(JOB)},
                proofs=measured.circumstances(PROOF),
                flaws=measured.circumstances(FLAW),
                scope=analysed.scope,
                wrong_expected=analysed.wrong_expected,
            ),
            plan=fill(
                Plan, plan, stopping=fill(Stopping, plan.stopping, max_blocks=plan.last_look(measured.calibrated))
            ),
            treatments=tuple(_treatment(analysed, treatment) for treatment in analysed.treatments),
            findings=tuple(
                finding(judged, no_effect(analysed, judged), plan.metric(judged.comparison.metric))
                for judged in analysed.findings
                if judged.comparison.standing not in CONTROLS
            ),
            controls=tuple(_controls(analysed, control) for control in analysed.controls),
            warnings=all_warnings(analysed),
            skipped=all_skipped(measured),
            failures=measured.failures,
            conditions=result.conditions,
            summary=summary(analysed),
            hosts=tuple(across_hosts(across, measured) for across in analysed.hosts) or UNSET,
        )


def _treatment(analysed: Analysed, result: TreatmentResult) -> Treatment:
    why = no_estimate(result)
    return fill(
        Treatment,
        result,
        estimates=tuple(
            fill(MetricEstimate, metric=metric.name, estimate=known(result.estimates.get(metric.name), why))
            for metric in analysed.measured.plan.metrics
        ),
        telemetry=analysed.measured.telemetry.get(result.treatment),
    )


def _controls(analysed: Analysed, controls: FamilyControls) -> Controls:
    both = {"negative": controls.negative, "positive": controls.positive}
    judged = {name: control and finding(control, no_effect(analysed, control)) for name, control in both.items()}
    return fill(Controls, controls, **judged)


class Bill(Object, frozen=True):
    """An estimate before tax and free allowances."""

    charges: tuple[Charge, ...]
    currency: str
    day: Annotated[str, doc("The date of the prices, as YYYY-MM-DD.")]
    source: str
    place: str
    total: float


class DryRun(Object, frozen=True, tag_field="schema", tag="sectax/dry-run/1"):
    """The plan of a run and its estimated price."""

    plan: Annotated[tuple[str, ...], doc("In words, one line each.")]
    bill: Annotated[Bill | None, doc("Null if nothing has a price.")]
    assumes: Annotated[str, doc("The assumptions of the bill.")]
