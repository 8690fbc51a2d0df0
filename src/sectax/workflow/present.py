"""A judged run, or a comparison, in the form that was asked for: tables, Markdown, CSV, JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sectax.model.analysed import Analysed

if TYPE_CHECKING:
    from sectax.model.audited import Audited
    from sectax.model.compared import PublishedComparison, RunComparison

FORMATS = ("markdown", "csv", "json")


def as_tables(analysed: Analysed, path: str, *, width: int, colour: bool, show_all: bool) -> str:
    """For a terminal."""
    from sectax.reports import terminal

    return terminal.render(analysed, width=width, colour=colour, show_all=show_all, path=path)


def as_document(analysed: Analysed, path: str, trouble: str = "") -> str:
    """The JSON document, described in docs/json.md; `trouble` is why the run's record could not go on."""
    from sectax.reports import json

    return json.document(analysed, path, trouble).decode()


def as_report(analysed: Analysed, path: str, format_: str, table: str) -> str:
    """One of `FORMATS`; `table` says which one a CSV holds."""
    if format_ == "json":
        return as_document(analysed, path)
    if format_ == "csv":
        from sectax.reports import csv

        return csv.render(analysed, table)
    from sectax.reports import markdown

    return markdown.render(analysed, path)


def comparison_as_tables(comparison: PublishedComparison | RunComparison, *, width: int, colour: bool) -> str:
    """A comparison for a terminal."""
    from sectax.reports import comparison as rendering

    return rendering.terminal(comparison, width=width, colour=colour)


def comparison_as_document(comparison: PublishedComparison | RunComparison) -> str:
    """A comparison as one JSON document."""
    from sectax.reports import comparison as rendering

    return rendering.json_document(comparison).decode()


def audited_as_tables(audited: Audited, *, width: int, colour: bool, show_all: bool) -> str:
    """What an audit found, for a terminal."""
    from sectax.reports import audited as rendering

    return rendering.terminal(audited, width=width, colour=colour, show_all=show_all)


def audited_as_document(audited: Audited) -> str:
    """What an audit found, as one JSON document."""
    from sectax.reports import audited as rendering

    return rendering.json_document(audited).decode()
