"""The HTML page of a run."""

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
    Block,
    Column,
    Command,
    Document,
    Forest,
    Lines,
    Row,
    Section,
    SectionKind,
    Table,
    Text,
    grid,
    sections,
)
from sectax.reports.notes import repeat
from sectax.reports.report_layout import findings
from sectax.reports.result_tables import drawn_interval, tone
from sectax.reports.words import plans
from sectax.text import units
from sectax.text.printable import printable

# Larger tables are compressed or left out, so that the page stays small enough to send.
_LARGEST_ATTACHMENT = 200_000
_LARGEST_PACKED = 400_000


def run_page(
    document: Document, analysed: Analysed, picture: Forest | None, rows: Sequence[AdviceRow] = ()
) -> Document:
    """Extend the report of a run to a page; `rows` are the experiment's own advice."""
    # A picture with all answers has their words too, so that the tables can be folded.
    folds = SectionKind.RESULTS if picture is None or picture.left_out else SectionKind.ASIDE
    sections_before = [
        replace(section, blocks=tuple(_answer(picture, section.blocks)))
        if picture and section in document.answers[:1]
        else section
        for section in document.sections
        if section.kind is not SectionKind.RESULTS
    ]
    facts = [map(printable, item) for item in analysed.measured.identity.items()]
    environment = (grid("", ("name", "value"), facts, words=2),) if facts else ()
    added = sections(
        Section("Findings", findings(analysed), folds),
        *row_sections(analysed.measured.plan, rows, SectionKind.DETAIL),
        Section("Blocks over time", tuple(over_time(analysed)), SectionKind.PICTURES),
        Section("Noise floor and controls", tuple(_controls(analysed)), SectionKind.DIAGNOSTICS),
        Section("Audit", tuple(_audit(analysed)), SectionKind.DETAIL),
        Section("Plan and rules", tuple(_method(analysed)), SectionKind.DETAIL),
        Section("Environment", environment, SectionKind.DETAIL),
        Section(
            "Repeat this run",
            (Command(printable(repeat(analysed.measured.plan)), "The same levels, rules and order, on your machine:"),),
            SectionKind.END,
        ),
        Section("Raw data", tuple(_attachments(analysed)), SectionKind.END),
    )
    return replace(document, sections=(*sections_before, *added))


def _answer(picture: Forest, blocks: tuple[Block, ...]) -> Iterator[Block]:
    """The answer as a headline, its picture, and what the headline does not say."""
    yield Text(picture.title, strong=True)
    yield replace(picture, is_titled=False)
    for block in blocks:
        if not isinstance(block, Lines):
            yield block
        elif rest := tuple(text for text in block.texts if text not in picture.title):
            yield replace(block, texts=rest)


def _controls(analysed: Analysed) -> Iterator[Table]:
    """The results of the run's own controls on one axis."""
    rows = []
    for family in analysed.controls:
        name = printable(family.family)
        cost = "an added cost" if family.known_cost is None else f"an added cost of {units.share(family.known_cost)}"
        if family.negative is not None:
            cells = (f"{name}: negative control", "two equal treatments: no difference")
            rows.append(Row(cells, tone(family.negative), drawn_interval(family.negative)))
        if family.positive is not None:
            rows.append(
                Row((f"{name}: positive control", cost), tone(family.positive), drawn_interval(family.positive))
            )
        if family.noise_floor is not None:
            rows.append(Row((f"{name}: noise floor", f"± {units.share(family.noise_floor)}")))
    if any(row.interval for row in rows):
        yield Table("", (Column("control"), Column("expected")), tuple(rows), analysed.measured.plan.stopping.margin)


def _audit(analysed: Analysed) -> Iterator[Table]:
    def outcome(check: Checked) -> str:
        noted = check.status is Status.SILENT and check.warnings
        return "a note: see the warnings" if noted else _STATUS_WORDS[check.status]

    if rows := [(printable(check.check), printable(check.rule), outcome(check)) for check in analysed.checks]:
        yield grid("", ("check", "fires where", "here"), rows, words=3)


_STATUS_WORDS = {
    Status.FIRED: "fired: see the warnings",
    Status.SILENT: "did not fire",
    Status.UNCHECKED: "not checked",
    Status.NOT_APPLICABLE: "not applicable",
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
            yield Attachment(f"{table}.csv", "text/csv;charset=utf-8", content, _DESCRIPTIONS[table])
        elif len(packed := gzip.compress(content, mtime=0)) <= _LARGEST_PACKED:
            yield Attachment(f"{table}.csv.gz", "application/gzip", packed, f"{_DESCRIPTIONS[table]}, compressed")
        else:
            left_out.append(f"{table}.csv is too large for a page: sectax report RUN --format csv --table {table}")
    if left_out:
        yield Lines(tuple(left_out))


_DESCRIPTIONS = {
    "findings": "every comparison with its effect, interval and verdict",
    "treatments": "every treatment with its figures",
    "blocks": "the value of every treatment in every block",
    "hosts": "every comparison host by host, and on hosts like these",
}
