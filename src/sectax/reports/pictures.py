"""What of a run, or of a comparison, can be drawn: only what was measured or found, nothing between the points."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.model.advice import Breakdown
from sectax.model.analysed import Analysed
from sectax.model.compared import PublishedComparison, RunComparison, Shape
from sectax.model.finding import Finding
from sectax.model.plan import Plan
from sectax.model.treatment import Standing
from sectax.reports import side_by_side, units
from sectax.reports.advice_layout import is_known, milliseconds, percent, where
from sectax.reports.block_pictures import block_by_block, time_lost
from sectax.reports.document import Axis, Block, Chart, Column, Point, Row, Series, Share, Stack, Stacks, Table, Text
from sectax.reports.growth_pictures import against_numbers, costs_against_numbers
from sectax.reports.result_tables import drawn, tone
from sectax.reports.words import names
from sectax.text.printable import printable

# More wholes in one picture cannot be told from each other.
_MOST_STACKS = 10
# More lines than these in one chart cannot be followed.
_MOST_SERIES = 8
SIDES = ("run a", "run b")


def pictures(analysed: Analysed, breakdown: Breakdown | None = None) -> tuple[Block, ...]:
    """What its families take, its costs against what grows, and its blocks one by one.

    Args:
        breakdown: has the lines that were fitted to its sizes.
    """
    return (
        *side_by_side.picture(analysed),
        *against_numbers(analysed, breakdown),
        *costs_against_numbers(analysed),
        *block_by_block(analysed),
        *time_lost(analysed.measured),
    )


def controls(analysed: Analysed) -> Iterator[Table]:
    """What the run's controls of itself showed, on one axis."""
    rows = []
    for family in analysed.controls:
        for what, seen in (("negative control", family.negative), ("positive control", family.positive)):
            if seen is not None:
                label = f"{printable(family.family)}: {what}"
                rows.append(Row((label, _expected(family.known_cost, seen)), tone(seen), drawn(seen)))
        if family.noise_floor is not None:
            rows.append(Row((f"{printable(family.family)}: noise floor", f"± {units.share(family.noise_floor)}")))
    if any(row.interval for row in rows):
        columns = (Column("of the run itself"), Column("what is known of it"))
        yield Table("", columns, tuple(rows), analysed.measured.plan.stopping.margin)


def _expected(known_cost: float | None, seen: Finding) -> str:
    if seen.comparison.standing is Standing.NEGATIVE:
        return "two equal treatments: no cost"
    return "a cost put there" if known_cost is None else f"a cost of {units.share(known_cost)} put there"


def where_it_goes(plan: Plan, breakdown: Breakdown | None) -> Iterator[Block]:
    """The parts of treatments one after the other, and the same in figures."""
    if breakdown is None or not breakdown.anatomies:
        return
    shown = breakdown.anatomies[:_MOST_STACKS]
    longest = max(part.seconds.point for anatomy in shown for part in anatomy.parts)
    column = units.scale("s", [longest])
    rows, stacks = [], []
    for anatomy in shown:
        name = where(plan, anatomy.cell, anatomy.treatment)
        shares = []
        for part in anatomy.parts:
            is_there = is_known(part.share) and part.seconds.point > 0
            told = (milliseconds(part.seconds), percent(part.share)) if is_there else ("", "too noisy: run longer")
            words = printable(part.words)
            value = part.seconds.point / column.size if is_there else None
            shares.append(Share(words, value, f"{words}: {', '.join(filter(None, told))}"))
            rows.append(Row((name, words, *told)))
        stacks.append(Stack(name, tuple(shares)))
    metric = names.metric(plan, breakdown.metric)
    yield Stacks(
        f"Where the time goes: {metric}",
        "Each step is the difference to a treatment that does less, or was timed by the subject. What is too noisy is "
        "left out, and named in the table.",
        printable(column.unit),
        tuple(stacks),
    )
    if len(shown) < len(breakdown.anatomies):
        yield Text(
            f"Only the first {len(shown)} of {len(breakdown.anatomies)} treatments are shown; "
            "sectax advise has them all."
        )
    columns = (Column("treatment"), Column("step"), Column("time", right=True), Column("share", right=True))
    yield Table("", columns, tuple(rows))


def effects_of_both(comparison: RunComparison) -> Iterator[Block]:
    """Per metric, the effect that each treatment had in either run, against the baseline of that run."""
    for name in dict.fromkeys(pair.metric.name for pair in comparison.effects):
        pairs = [pair for pair in comparison.effects if pair.metric.name == name]
        labels = [names.subject(comparison.plans[0], pair.a.comparison.treatment) for pair in pairs]
        series = []
        for label, pair in zip(labels, pairs, strict=True):
            both = [interval for interval in (drawn(pair.a), drawn(pair.b)) if interval is not None]
            if len(both) == len(SIDES):
                points = (
                    Point(place, interval.point, interval.low, interval.high) for place, interval in enumerate(both)
                )
                series.append(Series(label, tuple(points)))
        yield from _slopes(
            f"Effects in {printable(name.replace('_', ' '))}",
            "A level line is an effect that both runs saw alike; no verdict is given on their difference.",
            SIDES,
            "times the cost of the baseline",
            series,
        )


def shapes(comparison: PublishedComparison) -> Iterator[Block]:
    """Per table, the ratios within it, there and here."""
    for table in comparison.tables:
        # A side of which the run measured nothing has no place on the axis.
        measured = [
            place
            for place, side in enumerate(table.here)
            if any(figure.value is not None for row in side.figures for figure in row)
        ]
        names = ("published", *(printable(table.here[place].name) for place in measured))
        for column in (table.down, table.across):
            series = [made for shape in column if (made := _shape(shape, measured)) is not None]
            title = f"Shape of {printable(table.printed.metric.replace('_', ' '))}"
            if table.printed.fixed:
                title += f", {', '.join(map(printable, table.printed.fixed.values()))}"
            says = "Ratios within each table. A level line is a ratio that is the same there and here."
            yield from _slopes(title, says, names, "ratio", series)


def _shape(shape: Shape, measured: list[int]) -> Series | None:
    figures = (shape.there, *(shape.here[place] for place in measured))
    points = [
        Point(float(place), figure.value, figure.low, figure.high)
        for place, figure in enumerate(figures)
        if figure.value is not None and figure.value > 0
    ]
    return Series(printable(shape.name), tuple(points)) if len(points) > 1 else None


def _slopes(title: str, says: str, names: tuple[str, ...], unit: str, series: list[Series]) -> Iterator[Block]:
    if not series:
        return
    shown = tuple(series[:_MOST_SERIES])
    yield Chart(title, says, Axis("", names=names), Axis(unit, logarithmic=True, line=1.0), shown, joined=True)
    if len(series) > len(shown):
        yield Text(f"Only the first {len(shown)} of {len(series)} are drawn; the tables have them all.")
