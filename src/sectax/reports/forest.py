"""The forest plot of a run: main comparisons and intervals on one cost axis."""

from __future__ import annotations

from itertools import islice

from sectax.model.advice import Decision
from sectax.model.analysed import Analysed
from sectax.reports.distrust import self_check, self_checked
from sectax.reports.document import Forest, ForestGroup, ForestRow, Table
from sectax.reports.result_tables import SECONDARY_MARK, result_tables, visible
from sectax.reports.words import decisions, hosts, names, summaries
from sectax.text import units
from sectax.text.printable import printable

# About 14 rows fill a picture of 1200 by 630, the usual size for sharing; more make it higher.
_MOST_ROWS = 40
_LONGEST_TITLE = 280


def forest(analysed: Analysed, path: str, decision: Decision | None) -> Forest | None:
    """The plot of a run; None without intervals. Its foot names `path`."""
    plan = analysed.measured.plan
    shown_ids = visible(analysed, show_all=False)
    tables = [table for table in result_tables(analysed, shown_ids) if table.margin is not None]
    rows = sum(len(table.rows) - 1 for table in tables)
    room = _MOST_ROWS
    groups = []
    for table in tables:
        shown = tuple(islice((_row(row.cells, table, place) for place, row in enumerate(table.rows) if place), room))
        room -= len(shown)
        if shown:
            groups.append(_group(table, shown))
    if not any(row.interval for group in groups for row in group.rows):
        return None
    return Forest(
        _title(analysed, decision),
        " · ".join(filter(None, (printable(plan.question), names.service(plan), names.constants(plan)))),
        tuple(groups),
        plan.stopping.margin,
        rows - sum(len(group.rows) for group in groups),
        _foot(analysed, path, shown_ids),
    )


def _row(cells: tuple[str, ...], table: Table, place: int) -> ForestRow:
    label, value, effect, _, verdict = cells
    row = table.rows[place]
    unit = table.columns[1].head
    words = "".join((effect, *verdict.partition(" (see ")[1:])) if row.interval is not None else verdict
    amount = f"{value.partition(' ± ')[0]} {unit}, " if value != "–" else ""
    label = label.replace(f" {SECONDARY_MARK}", " (secondary)")
    return ForestRow(label, f"{amount}{words}", row.tone, row.interval)


def _group(table: Table, rows: tuple[ForestRow, ...]) -> ForestGroup:
    label, value = table.rows[0].cells[:2]
    name = label if label == "baseline" else f"baseline {label}"
    number, plus_minus, reach = value.partition(" ± ")
    return ForestGroup(table.title, f"{name}: {number} {table.columns[1].head}{plus_minus}{reach}", rows)


def _title(analysed: Analysed, decision: Decision | None) -> str:
    """As many sentences of the answer as fit, at least the first."""
    sentences: list[str] = []
    if decision is not None:
        doubt = summaries.count_decided(analysed, decision.findings)
        sentences = [*decisions.answers(analysed.measured.plan, decision), *filter(None, [doubt])]
    first, *rest = sentences or summaries.summary(analysed) or [""]
    for sentence in rest:
        if len(first) + len(sentence) >= _LONGEST_TITLE:
            break
        first += f" {sentence}"
    if len(first) <= _LONGEST_TITLE:
        return first
    whole = max(first.rfind(end, 0, _LONGEST_TITLE) for end in ("; ", ". "))
    return f"{first[: whole if whole > 0 else _LONGEST_TITLE - 1].rstrip()} …"


def _foot(analysed: Analysed, path: str, shown: frozenset[str]) -> tuple[str, ...]:
    measured = analysed.measured
    host = hosts.hosts_label(measured)
    processors = printable(measured.identity.get("host.cpus", "")) if len(measured.machines) < 2 else ""
    version = printable(measured.identity.get("sectax", ""))
    where = [f"{host}, {processors} processors" if processors else host, measured.started[:10]]
    where += [f"{units.count(len(measured.blocks), 'block')}", f"sectax {version}".strip()]
    check = next(self_check(measured.plan, analysed.controls), self_checked(analysed, shown))
    return " · ".join(where), " · ".join([check, f"figures: {printable(path)}"])
