"""A run judged as a whole: findings after the audit, and what a warning does to a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sectax.analysis.controls import family_controls
from sectax.analysis.findings import judge
from sectax.analysis.hosts import across_hosts
from sectax.analysis.treatments import treatment_results
from sectax.model.analysed import Analysed
from sectax.model.finding import WITHIN_MARGIN, AuditWarning, Finding, Severity, VerdictId
from sectax.model.measured import Measured
from sectax.model.plan import Plan
from sectax.model.treatment import CONTROLS, Standing
from sectax.stats.run_controls import depends_on_control


def analyse(
    measured: Measured, warnings: Iterable[AuditWarning] = (), findings: Sequence[Finding] | None = None
) -> Analysed:
    """Everything that a report needs, and nothing that it would have to compute.

    Args:
        warnings: what the audit of this run said; a fatal one takes away the verdicts that it concerns.
        findings: as `judge(measured)` gave them, where the caller has them already.
    """
    all_warnings = tuple(warnings)
    judged = judge(measured) if findings is None else findings
    after = withhold(measured.plan, judged, all_warnings)
    return Analysed(
        measured=measured,
        findings=after,
        controls=family_controls(measured, after),
        treatments=treatment_results(measured),
        warnings=all_warnings,
        scope=scope_sentence(measured),
        wrong_expected=wrong_expected(measured),
        hosts=across_hosts(measured, after),
    )


def scope_sentence(measured: Measured) -> str:
    """What the verdicts of this run hold for. What of them holds elsewhere, the plan says."""
    sessions = len(measured.sessions)
    if len(measured.machines) > 1:
        when = "that session" if sessions == 1 else f"those {sessions} sessions"
        return (
            f"{len(measured.machines)} hosts: the verdicts are about these hosts, which all count alike, in {when}. "
            "Claims about hosts like these take each host as one observation, and the hosts measured as a random "
            "sample of them."
        )
    if len(measured.hosts) > 1:
        return (
            f"{len(measured.hosts)} workers on one machine, which disturbed each other: the verdicts hold for that "
            "machine in that session. Nothing is claimed of hosts."
        )
    host = measured.sessions[0].identity.get("host.cpu_model", "") if measured.sessions else ""
    where = f"one host ({host})" if host else "one host"
    if sessions > 1:
        return f"{sessions} sessions of one run on {where}: the verdicts hold for that host in those sessions."
    return f"One session on {where}: the verdicts hold for that host in that session."


def wrong_expected(measured: Measured) -> float:
    """How many wrong claims to expect among the secondary comparisons, which do not share their error level."""
    total = 0.0
    for comparison in measured.plan.comparisons:
        values = measured.values.get(comparison.metric, {})
        if comparison.standing == Standing.SECONDARY and values.keys() >= {comparison.treatment, comparison.baseline}:
            total += comparison.alpha
    return total


RUN = "run"


def withhold(plan: Plan, findings: Iterable[Finding], warnings: Iterable[AuditWarning]) -> tuple[Finding, ...]:
    """The findings with the warnings that concern them, WITHDRAWN where a fatal one takes the verdict away.

    A warning's subject is a comparison, a treatment (either arm of a comparison), a cell, a family, a metric or the
    whole run. One about a positive control concerns the verdicts that lean on that control, one about a metric those
    that say 'no more than the margin' in it; one about the run leaves its controls alone, which show why.
    """
    every = tuple(warnings)
    reach = _Reach(plan)
    judged = []
    for finding in findings:
        own = tuple(warning for warning in every if reach.concerns(warning, finding))
        if any(reach.takes_away(warning, finding) for warning in own):
            judged.append(replace(finding, verdict=VerdictId.WITHDRAWN, withheld=finding.verdict, warnings=own))
        else:
            judged.append(replace(finding, warnings=own))
    return tuple(judged)


class _Reach:
    """Which findings a warning is about."""

    def __init__(self, plan: Plan) -> None:
        self._observed = {metric.name: metric.observed for metric in plan.metrics}
        self._family = {cell.id: cell.family for cell in plan.cells}
        self._positive = {
            comparison.id: comparison for comparison in plan.comparisons if comparison.standing == Standing.POSITIVE
        }

    def concerns(self, warning: AuditWarning, finding: Finding) -> bool:
        comparison = finding.comparison
        positive = self._positive.get(warning.subject)
        if positive is not None:
            return comparison.id == positive.id or depends_on_control(finding, positive, self._family, self._observed)
        if warning.subject == RUN:
            return comparison.standing not in CONTROLS
        if warning.subject == comparison.metric:
            return comparison.standing not in CONTROLS and finding.verdict in WITHIN_MARGIN
        return warning.subject in (
            comparison.id,
            comparison.treatment,
            comparison.baseline,
            comparison.cell,
            self._family[comparison.cell],
        )

    def takes_away(self, warning: AuditWarning, finding: Finding) -> bool:
        """Whether a warning that concerns a finding leaves it without a verdict."""
        if warning.severity != Severity.FATAL or finding.verdict == VerdictId.NOT_MEASURED:
            return False
        # A control that was missed goes on showing that it was.
        return finding.comparison.id not in self._positive or warning.subject not in self._positive
