"""Results as JSON documents for programs; their schemas stand in docs/schemas, their description in docs/json.md."""

from __future__ import annotations

from sectax.model.advice import Advice
from sectax.model.analysed import RunReport
from sectax.model.audited import Audited
from sectax.model.compared import PublishedComparison, RunComparison
from sectax.reports.json import advice, audit, compared, report


def document(result: RunReport | PublishedComparison | RunComparison | Audited | Advice) -> bytes:
    """One JSON document, UTF-8, with a line break at the end."""
    match result:
        case RunReport():
            return report.document(result.analysed, result.path, result.trouble)
        case PublishedComparison():
            return compared.published_document(result)
        case RunComparison():
            return compared.runs_document(result)
        case Audited():
            return audit.document(result)
        case Advice():
            return advice.document(result)
