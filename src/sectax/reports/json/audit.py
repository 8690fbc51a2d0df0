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
    """What was audited."""

    kind: Annotated[str, doc("Stable: 'run', 'published', or the name of a format as --format takes it.")]
    title: str
    own: Annotated[bool, doc("Whether sectax measured it: then F takes a verdict away, and otherwise a claim.")]


class Tally(Object, frozen=True):
    """Warnings that name no figure, but a comparison or the whole source; 0 of a run."""

    fatal: Count
    warned: Count


class AuditVerdict(Object, frozen=True):
    """How many figures are marked, and what became of the checks."""

    fatal: Annotated[Count, doc("Figures marked F. Of a run, comparisons that lost their verdict.")]
    warned: Annotated[Count, doc("Figures marked W and not F. Of a run, comparisons with a verdict and a warning.")]
    beside: Tally
    fired: Annotated[Count, doc("Checks, by their status.")]
    silent: Count
    unchecked: Count
    not_applicable: Count
    words: str


class AuditWarning(CheckWarning, frozen=True):
    """One warning of a check."""

    figures: Annotated[
        tuple[str, ...], doc("Ids of the figures that it is about; empty where it is about its subject.")
    ]


class Check(Object, frozen=True):
    """One check and what it says."""

    check: Annotated[str, doc("Stable identifier.")]
    rule: str
    status: Status
    warnings: tuple[AuditWarning, ...]


class Audit(Object, frozen=True, tag_field="schema", tag="sectax/audit/1"):
    """Every check of the audit on one target: a run, a published study, or a file of another tool."""

    target: Annotated[str, doc("As it was given.")]
    source: Annotated[Source, doc(at="")]
    figures: Annotated[Count, doc("Printed numbers that were looked at; of a run, its comparisons.")]
    values: Annotated[Count, doc("Single values behind them, as far as the source has them.")]
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
