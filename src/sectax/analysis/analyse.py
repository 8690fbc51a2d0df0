"""A run judged as a whole: findings after the audit, controls, treatments, scope."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sectax.analysis.controls import family_controls
from sectax.analysis.findings import judge
from sectax.analysis.scope import scope_sentence, wrong_expected
from sectax.analysis.treatments import treatment_results
from sectax.analysis.withhold import apply
from sectax.model.analysed import Analysed
from sectax.model.finding import Finding, Warning
from sectax.model.measured import Measured


def analyse(
    measured: Measured, warnings: Iterable[Warning] = (), findings: Sequence[Finding] | None = None
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
