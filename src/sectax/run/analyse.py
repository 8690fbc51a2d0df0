"""Judge a run: findings, withdrawn where a check of the audit fails."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sectax.analysis.analyse import analyse, withdraw_verdicts
from sectax.analysis.findings import judge
from sectax.audit.checks.interface import CheckOutcome
from sectax.audit.own.evidence import RunEvidence
from sectax.audit.own.registry import review
from sectax.model.analysed import Analysed
from sectax.model.audited import Checked, Status
from sectax.model.finding import Finding, Severity
from sectax.model.measured import Measured
from sectax.record.reader import RunReader


def analyse_measured(measured: Measured) -> Analysed:
    """Judge every comparison, and withdraw verdicts where a check of the audit fails."""
    findings = judge(measured)
    outcomes = review(RunEvidence(measured, findings))
    analysed = analyse(measured, (warning for outcome in outcomes for warning in outcome.warnings), findings)
    return replace(analysed, checks=tuple(map(checked, outcomes)))


def audited(measured: Measured) -> tuple[tuple[Finding, ...], tuple[CheckOutcome, ...]]:
    """The findings of `analyse_measured` and the outcomes of its checks."""
    findings = judge(measured)
    outcomes = review(RunEvidence(measured, findings))
    warnings = (warning for outcome in outcomes for warning in outcome.warnings)
    return withdraw_verdicts(measured.plan, findings, warnings), outcomes


def analyse_file(path: Path) -> Analysed:
    """Judge a run file, also one of an older sectax."""
    with RunReader.open(path) as reader:
        return analyse_measured(reader.measured())


def checked(outcome: CheckOutcome) -> Checked:
    return Checked(outcome.check, outcome.rule, status(outcome), outcome.warnings)


def status(outcome: CheckOutcome) -> Status:
    if not outcome.applies:
        return Status.NOT_APPLICABLE
    if any(warning.severity is not Severity.NOTE for warning in outcome.warnings):
        return Status.FIRED
    return Status.UNCHECKED if any(warning.missing for warning in outcome.warnings) else Status.SILENT
