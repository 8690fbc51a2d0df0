"""The tables of a run on several hosts, one for each comparison."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.model.analysed import Analysed
from sectax.model.finding import AcrossHosts, OfOneHost
from sectax.model.metric import Metric
from sectax.reports.document import Block, Column, ColumnRole, Footnotes, Row, Section, Table, lines
from sectax.reports.result_tables import drawn_interval, tone
from sectax.reports.words import hosts, names, summaries
from sectax.text import claims, units
from sectax.text.printable import printable

# The CSV has the others.
_MOST_TABLES = 12
_NOTE = (
    "All hosts have equal weight, whatever their number of blocks. The interval of one host has its own chance of "
    "error ({chance}) and does not affect the verdict. Claims about hosts like these treat each host as one "
    "observation, and the hosts measured as a random sample."
)


def section(analysed: Analysed, shown: frozenset[str]) -> Section:
    """The comparisons shown, host by host; empty for a run on one host."""
    across = [comparison for comparison in analysed.hosts if comparison.measured.comparison.id in shown]
    return Section("Host by host", tuple(_blocks(analysed, across)) if across else ())


def _blocks(analysed: Analysed, across: list[AcrossHosts]) -> Iterator[Block]:
    yield from (_table(analysed, comparison) for comparison in across[:_MOST_TABLES])
    notes = [_NOTE.format(chance=units.margin(analysed.measured.plan.stopping.alpha))]
    if len(across) > _MOST_TABLES:
        notes.append(f"{len(across) - _MOST_TABLES} more: sectax report RUN --format csv --table hosts")
    yield Footnotes(tuple(notes))
    sentences = [
        hosts.claim_on_hosts_like_these(analysed, comparison)
        for comparison in across[:_MOST_TABLES]
        if comparison.alike is not None
    ]
    sentences += hosts.refusals(analysed, across)
    yield from lines([*sentences, *hosts.unseen(across), *hosts.outliers(analysed, across)], long=True)


def _table(analysed: Analysed, across: AcrossHosts) -> Table:
    measured, finding = analysed.measured, across.measured
    plan, metric = measured.plan, measured.plan.metric(finding.comparison.metric)
    sides = (finding.comparison.treatment, finding.comparison.baseline)
    treatment, baseline = (names.treatment(plan, arm) for arm in sides)
    rows = [_row(analysed, across, host, metric) for host in across.hosts]
    blocks = str(finding.effect.blocks) if finding.effect else ""
    total = f"these {units.count(len(across.hosts) - len(across.left_out), 'host')}"
    effect = claims.effect(finding.effect, metric) if finding.effect else "–"
    rows.append(
        Row((total, "", blocks, effect, claims.answer(finding, metric)), tone(finding), drawn_interval(finding))
    )
    if across.alike is not None and across.alike.effect is not None:
        population = across.alike
        effect = claims.effect(across.alike.effect, metric)
        words = claims.answer(population, metric)
        rows.append(Row((hosts.LIKE_THESE, "", "", effect, words), tone(population), drawn_interval(population)))
    else:
        rows.append(Row((hosts.LIKE_THESE, "", "", "–", "no claim")))
    spread = hosts.spread(across.spread)
    place = summaries.comparison_context(analysed, finding)
    title = f"{f'{place}: ' if place else ''}{treatment}{f'; {spread}' if spread else ''}"
    columns = (
        Column("host", ColumnRole.LABEL),
        Column("processor", optional=True),
        Column("blocks", ColumnRole.VALUE, right=True),
        Column(f"against {baseline}", ColumnRole.EFFECT),
        Column("verdict", ColumnRole.VERDICT),
    )
    return Table(title, columns, tuple(rows), plan.stopping.margin)


def _row(analysed: Analysed, across: AcrossHosts, host: OfOneHost, metric: Metric) -> Row:
    effect = host.finding.effect
    words = claims.effect(effect, metric) if effect else "–"
    remark = "differs from the others" if host.host == across.odd else ""
    if host.host in across.left_out:
        remark = "left out: too few blocks"
    cells = (printable(host.host), hosts.processor(analysed.measured, host.host), str(effect.blocks) if effect else "")
    return Row((*cells, words, remark), interval=drawn_interval(host.finding))
