"""The document of an audit."""

from __future__ import annotations

from typing import Annotated, Self

from msgspec import Meta

from sectax.model import audited as model
from sectax.model.audited import Status
from sectax.reports.audit_layout import audit_sentence
from sectax.reports.json.findings import CheckWarning
from sectax.reports.json.parts import Object, doc, fill

Count = Annotated[int, Meta(ge=0)]


class Source(Object, frozen=True):
    """The audited source."""

    kind: Annotated[str, doc("Stable: 'run', 'published', or the name of a format for --format.")]
    title: str
    own: Annotated[bool, doc("Whether sectax measured it: F then withdraws a verdict, otherwise refutes a claim.")]


class Tally(Object, frozen=True):
    """Warnings on comparisons or the whole source, not on figures; 0 for a run."""

    fatal: Count
    warned: Count


class AuditVerdict(Object, frozen=True):
    """The number of marked figures, and of checks by status."""

    fatal: Annotated[Count, doc("Figures marked F; for a run, withdrawn comparisons.")]
    warned: Annotated[Count, doc("Figures marked W but not F; for a run, comparisons with a verdict and a warning.")]
    beside: Tally
    fired: Annotated[Count, doc("Checks by status.")]
    silent: Count
    unchecked: Count
    not_applicable: Count
    words: str


class AuditWarning(CheckWarning, frozen=True):
    """One warning of a check."""

    figures: Annotated[tuple[str, ...], doc("Ids of the figures concerned; empty if it is about its subject.")]


class Check(Object, frozen=True):
    """One check and its warnings."""

    check: Annotated[str, doc("Stable identifier.")]
    rule: str
    status: Status
    warnings: tuple[AuditWarning, ...]


class Audit(Object, frozen=True, tag_field="schema", tag="sectax/audit/2"):
    """The result of all checks on a run, a published study, or another tool's output."""

    target: Annotated[str, doc("As given on the command line.")]
    source: Annotated[Source, doc(at="")]
    figures: Annotated[Count, doc("Printed numbers; for a run, its comparisons.")]
    values: Annotated[Count, doc("Raw values behind them, if the source has them.")]
    verdict: AuditVerdict
    checks: Annotated[tuple[Check, ...], doc("Every check, in the order of the registry.")]

    @classmethod
    def of(cls, result: model.Audited, /) -> Self:
        verdict = fill(
            AuditVerdict,
            result.tally(),
            beside=result.beside(),
            words=audit_sentence(result),
            **{status.name.lower(): result.count(status) for status in Status},
        )
        return fill(cls, result, verdict=verdict)
