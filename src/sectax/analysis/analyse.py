"""A run judged as a whole: findings after the audit, controls, treatments, scope."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sectax.analysis.controls import family_controls
from sectax.analysis.findings import judge
from sectax.analysis.treatments import treatment_results
from sectax.analysis.withhold import apply
from sectax.model.analysed import Analysed
from sectax.model.finding import AuditWarning, Finding
from sectax.model.measured import Measured
from sectax.model.treatment import Standing


def analyse(
    measured: Measured, warnings: Iterable[AuditWarning] = (), findings: Sequence[Finding] | None = None
) -> Analysed:
    """Everything that a report needs, and nothing that it would have to compute.

    Args:
        warnings: what the audit of this run said; a fatal one takes away the verdicts that it concerns.
        findings: as `judge(measured)` gave them, where the caller has them already.
    """
    said = tuple(warnings)
    judged = judge(measured) if findings is None else findings
    after = apply(measured.plan, judged, said)
    return Analysed(
        measured=measured,
        findings=after,
        controls=family_controls(measured, after),
        treatments=treatment_results(measured),
        warnings=said,
        scope=scope_sentence(measured),
        wrong_expected=wrong_expected(measured),
    )


def scope_sentence(measured: Measured) -> str:
    """What the verdicts of this run hold for. What of them holds elsewhere, the plan says."""
    sessions = len(measured.sessions)
    host = measured.sessions[0].identity.get("host.cpu_model", "") if measured.sessions else ""
    where = f"one host ({host})" if host else "one host"
    if sessions > 1:
        return f"{sessions} sessions of one run on {where}: the verdicts hold for that host in those sessions."
    return f"One session on {where}: the verdicts hold for that host in that session."


def wrong_expected(measured: Measured) -> float:
    """How many wrong claims to expect among the secondary comparisons, which do not share their error level."""
    total = 0.0
    for comparison in measured.plan.comparisons:
        seen = measured.values.get(comparison.metric, {})
        if comparison.standing == Standing.SECONDARY and seen.keys() >= {comparison.treatment, comparison.baseline}:
            total += comparison.alpha
    return total
