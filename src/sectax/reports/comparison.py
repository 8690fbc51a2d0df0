"""A comparison of either kind, beside a published study or beside another run, on a terminal or as JSON."""

from __future__ import annotations

from sectax.model.compared import PublishedComparison, RunComparison

Comparison = PublishedComparison | RunComparison


def terminal(comparison: Comparison, *, width: int, colour: bool) -> str:
    """As text of the given width in columns."""
    from sectax.reports import terminal as rendering

    if isinstance(comparison, PublishedComparison):
        return rendering.render_published(comparison, width=width, colour=colour)
    return rendering.render_runs(comparison, width=width, colour=colour)


def json_document(comparison: Comparison) -> bytes:
    """As one JSON document, UTF-8."""
    from sectax.reports import json as rendering

    if isinstance(comparison, PublishedComparison):
        return rendering.published_document(comparison)
    return rendering.runs_document(comparison)
