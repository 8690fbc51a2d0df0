"""A treatment that is faster than its baseline may have left work out: the report says which, where that is known."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.interface import Check, Remark, warning
from sectax.audit.own.evidence import RunEvidence
from sectax.model.finding import FASTER
from sectax.model.subject import Witness
from sectax.model.treatment import CONTROLS


def _examine(evidence: RunEvidence) -> Iterator[Remark]:
    operations = {figure.treatment: figure.work.operation for figure in evidence.series}
    faster = dict.fromkeys(
        (finding.comparison.treatment, finding.comparison.baseline)
        for finding in evidence.measured_findings()
        if finding.verdict in FASTER and finding.comparison.standing not in CONTROLS
    )
    for treatment, baseline in faster:
        for shortcut in evidence.shortcuts:
            seen, usual = (_witnessed(evidence, arm, shortcut.witness) for arm in (treatment, baseline))
            if operations.get(treatment) in shortcut.operations and seen and usual and seen.isdisjoint(usual):
                yield warning(
                    treatment,
                    f"costs less than its baseline, which does more: {shortcut.words} "
                    f"({shortcut.witness} is {_told(seen)}, not {_told(usual)})",
                    shortcut.why,
                    "read it as the difference between the two as they are, not as the cost of the control alone",
                )


def _witnessed(evidence: RunEvidence, arm: str, name: str) -> set[Witness]:
    witnesses = evidence.arms[arm].witnesses if arm in evidence.arms else None
    return set((witnesses or {}).get(name, ()))


def _told(values: set[Witness]) -> str:
    return ", ".join(sorted(map(str, values)))


LESS_WORK: Check[RunEvidence] = Check(
    id="less-work",
    rule="W: a treatment costs less than its baseline, and a witness shows that it left work out",
    examine=_examine,
    applies=lambda evidence: bool(evidence.shortcuts),
)
