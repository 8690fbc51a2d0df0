"""The report as one JSON document for programs; its schemas stand in docs/schemas, its description in docs/json.md."""

from sectax.reports.json.compared import published_document, runs_document
from sectax.reports.json.report import document

__all__ = ["document", "published_document", "runs_document"]
