"""Analyse a run: findings after the audit, with verdicts withdrawn by warnings."""

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
    """Compute everything that reports show.

    Args:
        warnings: from the audit of this run; fatal ones withdraw verdicts.
        findings: the result of `judge(measured)` if already computed.
    """
    all_warnings = tuple(warnings)
    findings = withdraw_verdicts(measured.plan, judge(measured) if findings is None else findings, all_warnings)
    return Analysed(
        measured=measured,
        findings=findings,
        controls=family_controls(measured, findings),
        treatments=treatment_results(measured),
        warnings=all_warnings,
        scope=scope_sentence(measured),
        wrong_expected=wrong_expected(measured),
        hosts=across_hosts(measured, findings),
    )


def scope_sentence(measured: Measured) -> str:
    """State which hosts and sessions the verdicts hold for."""
    sessions = len(measured.sessions)
    if len(measured.machines) > 1:
        when = "that session" if sessions == 1 else f"those {sessions} sessions"
        return (
            f"{len(measured.machines)} hosts: the verdicts hold for these hosts, equally weighted, in {when}. "
            "Claims about similar hosts treat each host as one observation and assume that the hosts are a random "
            "sample."
        )
    if len(measured.hosts) > 1:
        return (
            f"{len(measured.hosts)} workers on one machine, which disturbed each other: the verdicts hold for that "
            "machine in that session, not for other hosts."
        )
    host = measured.sessions[0].identity.get("host.cpu_model", "") if measured.sessions else ""
    where = f"one host ({host})" if host else "one host"
    if sessions > 1:
        return f"{sessions} sessions of one run on {where}: the verdicts hold for that host in those sessions."
    return f"One session on {where}: the verdicts hold for that host in that session."


def wrong_expected(measured: Measured) -> float:
    """The expected number of wrong claims among secondary comparisons."""
    total = 0.0
    for comparison in measured.plan.comparisons:
        values = measured.values.get(comparison.metric, {})
        if comparison.standing == Standing.SECONDARY and values.keys() >= {comparison.treatment, comparison.baseline}:
            total += comparison.alpha
    return total


RUN = "run"


def withdraw_verdicts(plan: Plan, findings: Iterable[Finding], warnings: Iterable[AuditWarning]) -> tuple[Finding, ...]:
    """Attach warnings to findings, and withdraw verdicts with fatal ones.

    A warning's subject is a comparison, a treatment (either arm), a cell, a family, a metric or the whole run. A
    warning about a positive control concerns the verdicts that depend on it; one about a metric concerns its verdicts
    within the margin; one about the run does not concern the controls.
    """
    all_warnings = tuple(warnings)
    scope = _Scope(plan)
    judged = []
    for finding in findings:
        own = tuple(warning for warning in all_warnings if scope.concerns(warning, finding))
        if any(scope.withdraws(warning, finding) for warning in own):
            judged.append(replace(finding, verdict=VerdictId.WITHDRAWN, withheld=finding.verdict, warnings=own))
        else:
            judged.append(replace(finding, warnings=own))
    return tuple(judged)


class _Scope:
    """The findings that a warning concerns."""

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

    def withdraws(self, warning: AuditWarning, finding: Finding) -> bool:
        if warning.severity != Severity.FATAL or finding.verdict == VerdictId.NOT_MEASURED:
            return False
        # A positive control that was missed keeps its own verdict, which shows that.
        return finding.comparison.id not in self._positive or warning.subject not in self._positive
