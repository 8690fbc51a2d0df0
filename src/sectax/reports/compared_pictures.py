"""What of a comparison can be drawn: slopes from one side to the other, of what may be set side by side."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.model.compared import PublishedComparison, RunComparison, Shape, Side
from sectax.model.printable import printable
from sectax.reports.comparison_layout import short_names
from sectax.reports.document import Axis, Block, Chart, Point, Series, Text
from sectax.reports.result_tables import drawn

# More lines than these in one chart cannot be followed.
_MOST_SERIES = 8
SIDES = ("run a", "run b")


def effects_of_both(comparison: RunComparison) -> Iterator[Block]:
    """Per metric, the effect that each treatment had in either run, against the baseline of that run."""
    for name in dict.fromkeys(pair.metric.name for pair in comparison.effects):
        pairs = [pair for pair in comparison.effects if pair.metric.name == name]
        labels = short_names([pair.a.comparison.treatment for pair in pairs])
        series = []
        for label, pair in zip(labels, pairs, strict=True):
            both = [each for each in (drawn(pair.a), drawn(pair.b)) if each is not None]
            if len(both) == len(SIDES):
                points = (Point(place, each.point, each.low, each.high) for place, each in enumerate(both))
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
        measured = [place for place, side in enumerate(table.here) if _is_measured(side)]
        names = ("published", *(printable(table.here[place].name) for place in measured))
        for each in (table.down, table.across):
            series = [made for shape in each if (made := _shape(shape, measured)) is not None]
            title = f"Shape of {printable(table.printed.metric.replace('_', ' '))}"
            if table.printed.fixed:
                title += f", {', '.join(map(printable, table.printed.fixed.values()))}"
            says = "Ratios within each table. A level line is a ratio that is the same there and here."
            yield from _slopes(title, says, names, "ratio", series)


def _is_measured(side: Side) -> bool:
    return any(figure.value is not None for row in side.figures for figure in row)


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
