"""The report of advice: what to do, its cost, and the experiment's rows."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from sectax.model.advice import Advice, AdviceRow
from sectax.model.finding import Estimate
from sectax.model.plan import Plan
from sectax.reports.document import Block, Document, Section, SectionKind, Text, grid, lines, sections
from sectax.reports.words import decisions, names, plans
from sectax.text import units
from sectax.text.printable import printable


def advice_report(advice: Advice) -> Document:
    """Lay out advice."""
    plan = advice.plan
    todo = decisions.decision(advice.analysed, advice.decision) if advice.decision else []
    advised = sections(
        Section("What to do", lines(todo, long=True)),
        Section("Cost per million", tuple(_million(advice, plan))),
        *row_sections(plan, advice.rows),
    )
    if advised and plan.transfers:
        advised = (*advised, Section("Scope", lines((printable(plan.transfers),), long=True)))
    empty_note = () if advised else (Text("There is no advice for this run: no choice was decided."),)
    return Document(f"advice from run {printable(advice.run_id)}: {printable(plan.question)}", empty_note, advised)


def row_sections(plan: Plan, rows: Sequence[AdviceRow], kind: SectionKind = SectionKind.BODY) -> Iterator[Section]:
    """A section for each group of rows, with a shared sentence below its table."""
    varying = {*names.varying_factors(plan), plan.control}
    for group in dict.fromkeys(row.group for row in rows):
        members = [row for row in rows if row.group == group]
        sentences = {row.sentence for row in members}
        shared = sentences.pop() if len(sentences) == 1 else ""
        notes = bool(sentences)
        cells = []
        for row in members:
            name = _name(row.levels, varying, row)
            figure = "" if row.value is None else _figure(row.value)
            cells.append((name, figure, *((printable(row.sentence),) if notes else ())))
        constants = {(printable(row.name), figure) for row, (_, figure, *_) in zip(members, cells, strict=True)}
        if len(members) > 1 and len(constants) == 1 and not notes and all(map(_is_exact, members)):
            common = set.intersection(*(set(row.levels.items()) for row in members))
            shared_levels = {factor: level for factor, level in members[0].levels.items() if (factor, level) in common}
            name = _name(shared_levels, varying, members[0])
            cells = [(f"{name}, everywhere", cells[0][1])]
        heads = ("", "value", *(("note",) if notes else ()))
        below = lines((printable(shared),), long=True) if shared else ()
        yield Section(printable(group), (grid("", heads, cells, words=3), *below), kind)


def _name(levels: Mapping[str, str], varying: Container[str], row: AdviceRow) -> str:
    return " · ".join(filter(None, (_levels(levels, varying), printable(row.name))))


def _is_exact(row: AdviceRow) -> bool:
    return row.value is not None and row.value.low == row.value.high


def _figure(value: Estimate) -> str:
    """'12 ms (8 to 16)', or a share as per cent."""
    column = units.UnitScale("%", 0.01) if value.unit == "share" else units.scale(value.unit, [value.point])
    point, unit = value.point / column.size, column.unit
    if value.low is None or value.high is None or value.low == value.high:
        return f"{units.number(point)} {unit}"
    low, high = value.low / column.size, value.high / column.size
    return f"{units.number(point, high - low)} {unit} ({units.span(low, high)})"


def _million(advice: Advice, plan: Plan) -> Iterator[Block]:
    """The cost of a million operations, and of a month, with every decided level."""
    decision = advice.decision
    if decision is None or not decision.outlays:
        return
    bill = decision.outlays[0].bill
    varying = {*names.varying_factors(plan), plan.control}
    heads = (printable(plan.control), f"{printable(bill.currency)} per million", f"a month at {decision.rate_s:,.6g}/s")
    rows = (
        (
            ", ".join(filter(None, (_levels({**outlay.levels, plan.control: outlay.level}, varying), outlay.way))),
            units.span(outlay.least, outlay.most),
            units.span(outlay.months * outlay.least, outlay.months * outlay.most),
        )
        for outlay in decision.outlays
    )
    yield grid("", heads, rows)
    yield from lines((plans.prices(bill),), long=True)


def _levels(levels: Mapping[str, str], varying: Container[str]) -> str:
    """The levels of the varying factors."""
    return printable(" · ".join(names.level(*item) for item in levels.items() if item[0] in varying))
