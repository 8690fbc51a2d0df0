"""Results as JSON documents, with schemas in docs/schemas (see docs/json.md)."""

from __future__ import annotations

from sectax.model.advice import Advice
from sectax.model.analysed import RunReport
from sectax.model.audited import Audited
from sectax.model.compared import PublishedComparison, RunComparison
from sectax.reports.json import advice, audit, compared, report
from sectax.reports.json.parts import Object, encoded

_KINDS: dict[type, type[Object]] = {
    RunReport: report.Report,
    PublishedComparison: compared.PublishedComparison,
    RunComparison: compared.RunComparison,
    Audited: audit.Audit,
    Advice: advice.Advice,
}


def document(result: RunReport | PublishedComparison | RunComparison | Audited | Advice) -> bytes:
    """One JSON document, UTF-8, with a line break at the end."""
    return encoded(_KINDS[type(result)].of(result))
