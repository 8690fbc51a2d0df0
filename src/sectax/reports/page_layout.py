"""What a page of a run says beside its report (blocks over time, where and how it was measured, raw figures)."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sectax.model.advice import AdviceRow
from sectax.model.analysed import Analysed
from sectax.model.audited import Checked, Status
from sectax.reports import csv
from sectax.reports.advice_layout import row_sections
from sectax.reports.block_pictures import over_time
from sectax.reports.document import (
    Attachment,
    Command,
    Document,
    Forest,
    Lines,
    Section,
    SectionKind,
    Table,
    grid,
    sections,
)
from sectax.reports.notes import repeat
from sectax.reports.page_tables import controls
from sectax.reports.report_layout import findings
from sectax.reports.words import plans
from sectax.text.printable import printable

# Larger tables are packed, or stay outside the page, which is to be opened and sent like a picture.
_LARGEST_ATTACHMENT = 200_000
_LARGEST_PACKED = 400_000


def run_page(
    document: Document, analysed: Analysed, picture: Forest | None, rows: Sequence[AdviceRow] = ()
) -> Document:
    """The report of a run with all that a page has room for.

    Args:
        picture: stands before the answer in words; None where nothing has an interval.
        rows: the experiment's own advice.
    """
    # A picture that has all answers says them in words too.
    folds = SectionKind.RESULTS if picture is None or picture.left_out else SectionKind.ASIDE
    sections_before = [
        replace(section, blocks=(picture, *section.blocks)) if picture and section in document.answers[:1] else section
        for section in document.sections
        if section.kind is not SectionKind.RESULTS
    ]
    facts = [map(printable, item) for item in analysed.measured.identity.items()]
    environment = (grid("", ("what", "value"), facts, words=2),) if facts else ()
    added = sections(
        Section("Findings", findings(analysed), folds),
        *row_sections(analysed.measured.plan, rows, SectionKind.DETAIL),
        Section("Blocks over time", tuple(over_time(analysed)), SectionKind.PICTURES),
        Section("Noise floor and controls", tuple(controls(analysed)), SectionKind.DIAGNOSTICS),
        Section("Audit", tuple(_audit(analysed)), SectionKind.DETAIL),
        Section("Plan and rules", tuple(_method(analysed)), SectionKind.DETAIL),
        Section("Environment", environment, SectionKind.DETAIL),
        Section(
            "Measure it again",
            (Command(printable(repeat(analysed.measured.plan)), "The same levels, rules and order, on your machine:"),),
            SectionKind.END,
        ),
        Section("Raw figures", tuple(_attachments(analysed)), SectionKind.END),
    )
    return replace(document, sections=(*sections_before, *added))


def _audit(analysed: Analysed) -> Iterator[Table]:
    """Every check of the audit, what it holds against, and what became of it."""
    rows = [(printable(check.check), printable(check.rule), _outcome_words(check)) for check in analysed.checks]
    if rows:
        yield grid("", ("check", "fires where", "here"), rows, words=3)


def _outcome_words(check: Checked) -> str:
    noted = check.status is Status.SILENT and check.warnings
    return "a note: see the warnings" if noted else _BECAME[check.status]


_BECAME = {
    Status.FIRED: "fired: see the warnings",
    Status.SILENT: "did not fire",
    Status.UNCHECKED: "cannot be checked here",
    Status.NOT_APPLICABLE: "does not apply",
}


def _method(analysed: Analysed) -> Iterator[Lines]:
    measured = analysed.measured
    texts = list(plans.plan(measured.plan)[1:])
    if measured.calibrated is not None and measured.blocks:
        texts += plans.calibrated(measured.plan, measured.calibrated)
    methods = dict.fromkeys(finding.effect.method for finding in analysed.findings if finding.effect is not None)
    texts += [f"intervals: {printable(method)}" for method in methods]
    yield Lines(tuple(texts))


def _attachments(analysed: Analysed) -> Iterator[Attachment | Lines]:
    left_out = []
    for table in csv.available_tables(analysed):
        content = csv.render(analysed, table).encode()
        if len(content) <= _LARGEST_ATTACHMENT:
            yield Attachment(f"{table}.csv", "text/csv;charset=utf-8", content, _SAYS[table])
        elif len(packed := gzip.compress(content, mtime=0)) <= _LARGEST_PACKED:
            yield Attachment(f"{table}.csv.gz", "application/gzip", packed, f"{_SAYS[table]}, packed")
        else:
            left_out.append(f"{table}.csv is too large for a page: sectax report RUN --format csv --table {table}")
    if left_out:
        yield Lines(tuple(left_out))


_SAYS = {
    "findings": "every comparison with its effect, interval and verdict",
    "treatments": "every treatment with its own figures",
    "blocks": "the value of every treatment in every block",
    "hosts": "every comparison host by host, and on hosts like these",
}
