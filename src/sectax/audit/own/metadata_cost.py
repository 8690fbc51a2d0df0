"""An operation that moves no body is a control: what it costs more is not the work on a body."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.interface import Check, Remark, warning
from sectax.audit.form import Moves
from sectax.audit.own.evidence import RunEvidence
from sectax.model.finding import VerdictId
from sectax.model.treatment import CONTROLS

_MATERIAL = {VerdictId.SLOWER_MATERIAL: "slower", VerdictId.FASTER_MATERIAL: "faster"}


def _operations(evidence: RunEvidence) -> dict[str, str]:
    """Of a run of ours, the treatments whose operation moves metadata alone, and that operation."""
    return {
        figure.treatment: figure.work.operation or "the operation"
        for figure in evidence.series
        if figure.work.moves is Moves.METADATA
    }


def _examine(evidence: RunEvidence) -> Iterator[Remark]:
    operations = _operations(evidence)
    answers = next(iter(evidence.metrics), "")
    for finding in evidence.measured_findings():
        compared = finding.comparison
        operation = operations.get(compared.treatment)
        if operation is None or compared.metric != answers or compared.standing in CONTROLS:
            continue
        if (direction := _MATERIAL.get(finding.verdict)) is not None:
            yield warning(
                compared.treatment,
                f"{operation} moves no body, and is {direction} than its baseline ({compared.id})",
                "so much of the difference is not the work on a body, also in the operations that move one",
                "see how much it is in absolute time, and take it off the cost of the smallest objects first",
            )


METADATA_COST: Check[RunEvidence] = Check(
    id="metadata-cost",
    rule="W: an operation that moves no body differs from its baseline by the margin or more",
    examine=_examine,
    applies=lambda evidence: bool(_operations(evidence)),
)
