"""Controls of a run: negative, positive, and missing ones."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.audit.checks.interface import Remark, cannot_be_checked, check, fatal, remark, warning
from sectax.audit.own.evidence import RunEvidence
from sectax.model import finding as model
from sectax.model.plan import FIRST_LOOK
from sectax.model.treatment import CONTROLS, Comparison, Standing
from sectax.stats import run_controls
from sectax.text import claims, units

# A known cost larger than this times its nominal value proves nothing about costs near the margin.
MOST_OF_NOMINAL = 1.25
_FIRED = model.SLOWER | model.FASTER
# What falls without a positive control.
_SMALL = "'equivalent' and 'within the margin' are withdrawn, larger effects remain"


def _claims_something(evidence: RunEvidence) -> bool:
    """Whether the run measured anything: controls are expected then."""
    return any(evidence.measured_findings())


@check(
    "F: the baseline differs from a second copy of itself at 0.5 %, perhaps by more than the margin, so all "
    "verdicts are withdrawn; W: at 5 %, so the family's intervals are widened by as much, or at 0.5 % within the "
    "margin, so they are widened by three times as much; "
    "or it was not measured: F for 'equivalent' and 'within the margin', W for other verdicts",
    applies=_claims_something,
)
def negative_control(evidence: RunEvidence) -> Iterator[Remark]:
    for family in _uncontrolled_families(evidence, Standing.NEGATIVE):
        yield from _not_controlled(evidence, family, "no negative control was planned for this family")
    for finding in _control_findings(evidence, Standing.NEGATIVE):
        effect = finding.effect
        if effect is None or effect.blocks < FIRST_LOOK:
            blocks = 0 if effect is None else effect.blocks
            saw = f"{blocks} blocks of the negative control are too few"
            yield from _not_controlled(evidence, evidence.families[finding.comparison.cell], saw)
        elif finding.verdict in _FIRED:
            yield _baseline_differs(evidence, finding, effect)


def _baseline_differs(evidence: RunEvidence, finding: model.Finding, effect: model.Effect) -> Remark:
    """Report a negative control that fired: F at 0.5 %, W at 5 % by chance."""
    comparison = finding.comparison
    of_family = f" of {evidence.families[comparison.cell]}" if len({*evidence.families.values()}) > 1 else ""
    saw = f"the baseline{of_family} measured twice: {_measured(evidence, comparison, effect)}"
    if run_controls.withdraws_verdicts(effect, finding.verdict):
        return fatal(
            "run",
            saw,
            "the run shows differences where there are none, so all its verdicts are withdrawn",
            "find out what treats the two differently (order, other load, throttling), and run again",
        )
    likely = (
        "a bias of the run within the margin" if run_controls.is_sure(effect) else "chance, or a small bias of the run"
    )
    return warning(
        evidence.families[comparison.cell],
        saw,
        f"{likely}: the intervals of the same measurements are wider by "
        f"{units.share(math.expm1(run_controls.bias_shown(effect, finding.verdict)))} to both sides",
        "run again where a verdict depends on this",
    )


def _not_controlled(evidence: RunEvidence, family: str, why: str) -> Iterator[Remark]:
    """Report what a missing negative control means for the family's verdicts."""
    of_family = [finding for finding in evidence.compared if evidence.families[finding.comparison.cell] == family]
    claims = [finding for finding in of_family if finding.verdict in _FIRED | model.WITHIN_MARGIN]
    if not claims:
        yield cannot_be_checked(family, why)
        return
    saw, advice = f"not controlled: {why}", "find out why the negative control is missing, and run again"
    meaning = "false differences would go undetected, and the intervals are not widened for bias"
    yield warning(family, saw, meaning, advice)
    for finding in claims:
        if finding.verdict in model.WITHIN_MARGIN:
            yield fatal(finding.comparison.id, saw, "'equivalent' and 'within the margin' need the control", advice)


@check(
    "F: a known extra cost was not detected (in its direction, with the cost in its interval), not measured, or over "
    "1.25 times its nominal value: 'equivalent' and 'within the margin' are withdrawn, larger effects remain; W: its "
    "interval excludes the cost, so the family's intervals are widened by three times the farther limit's distance; "
    "not checked where no cost was added",
    applies=_claims_something,
)
def positive_control(evidence: RunEvidence) -> Iterator[Remark]:
    for family in _uncontrolled_families(evidence, Standing.POSITIVE):
        yield cannot_be_checked(family, "no cost was added on purpose")
    observed = {name: metric.observed for name, metric in evidence.metrics.items()}
    for finding in _control_findings(evidence, Standing.POSITIVE):
        comparison, effect = finding.comparison, finding.effect
        unmeasured = _unmeasured(evidence, finding)
        if unmeasured is None and effect is not None and run_controls.finds_known_cost(effect):
            continue
        leaning = any(
            run_controls.depends_on_control(claim, comparison, evidence.families, observed)
            for claim in evidence.findings
        )
        if effect is None or unmeasured is not None:
            meaning = f"whether costs this small are detected is unknown: {_SMALL}"
            advice = "find out why the control is missing, or use longer batches, and run again"
            missing = unmeasured or ""
            yield (
                fatal(comparison.id, missing, meaning, advice) if leaning else cannot_be_checked(comparison.id, missing)
            )
            continue
        saw = f"the known extra cost: {_measured(evidence, comparison, effect)}, which " + (
            f"excludes the {units.known_cost(math.expm1(effect.added))} that were added"
            if effect.added is not None and run_controls.excludes_known_cost(effect)
            else "includes zero"
        )
        if run_controls.excludes_known_cost(effect):
            wider = units.share(math.expm1(run_controls.scale_error(effect)))
            meaning = (
                f"the run's scale is wrong: the intervals of the same measurements are wider by {wider} to both sides"
            )
            yield warning(evidence.families[comparison.cell], saw, meaning, "find out what treats one side differently")
        if leaning:
            meaning = f"costs this small go undetected: {_SMALL}"
            yield fatal(comparison.id, saw, meaning, "use more blocks, or a quieter machine")
        elif not run_controls.excludes_known_cost(effect):
            yield remark(model.Severity.NOTE, comparison.id, saw, "no verdict of this run depends on it")


def _unmeasured(evidence: RunEvidence, positive: model.Finding) -> str | None:
    """Why a positive control proves nothing; None where it is valid."""
    if positive.effect is None:
        return "the positive control was not measured"
    if positive.effect.blocks < FIRST_LOOK:
        return f"{positive.effect.blocks} blocks of the positive control are too few"
    plan, treatment = evidence.plan, evidence.plan.treatment(positive.comparison.treatment)
    nominal, real = plan.nominal_cost(treatment), plan.known_cost(treatment, evidence.measured.calibrated)
    if real is not None and real > MOST_OF_NOMINAL * nominal:
        intended, actual = units.known_cost(nominal), units.known_cost(real)
        return f"the positive control was not measured at its {intended}: whole operations made it {actual}"
    return None


@check("W: 'equivalent' or 'within the margin' in a metric without a control", applies=_claims_something)
def uncontrolled(evidence: RunEvidence) -> Iterator[Remark]:
    controlled = {
        evidence.metrics[finding.comparison.metric].observed
        for finding in evidence.findings
        if finding.comparison.standing in CONTROLS
    }
    claimed = [finding.comparison.metric for finding in evidence.compared if finding.verdict in model.WITHIN_MARGIN]
    for metric in dict.fromkeys(claimed):
        if evidence.metrics[metric].observed not in controlled:
            yield warning(
                metric,
                "this metric has no control",
                "only the interval supports that no larger cost exists",
                "take 'equivalent' and 'within the margin' in this metric as hints",
            )


def _control_findings(evidence: RunEvidence, standing: Standing) -> list[model.Finding]:
    return [finding for finding in evidence.findings if finding.comparison.standing == standing]


def _uncontrolled_families(evidence: RunEvidence, standing: Standing) -> list[str]:
    """The families that have no such control."""
    covered = {evidence.families[finding.comparison.cell] for finding in _control_findings(evidence, standing)}
    return [family for family in dict.fromkeys(evidence.families.values()) if family not in covered]


def _measured(evidence: RunEvidence, comparison: Comparison, effect: model.Effect) -> str:
    """'2.2 to 2.9 % slower in wall time over 10 blocks', as reports say it."""
    metric = evidence.metrics[comparison.metric]
    words = evidence.plan.words.get(f"metric={metric.name}", metric.name.replace("_", " "))
    # A metric that has the name of a clock alone is a time.
    called = {"wall": "wall time", "cpu": "CPU time"}.get(words, words)
    return f"{claims.interval(effect, metric)} in {called} over {effect.blocks} blocks"
