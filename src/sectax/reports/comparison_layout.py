"""What a comparison says, in which order: a run beside a published study, or beside another run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from sectax.model.compared import ComparedTable, Figure, PublishedComparison, RunComparison, Shape, Side
from sectax.model.metric import Metric
from sectax.model.published import Fact, Known, PublishedStudy, PublishedTable
from sectax.model.treatment import Standing
from sectax.reports import units
from sectax.reports.document import Block, Column, Document, Footnotes, Lines, Row, Section, Table, lines, sections
from sectax.reports.result_tables import SHARED_BLOCKS
from sectax.reports.words import claims
from sectax.text.printable import printable

NO_VERDICT = (
    "Two sessions share no moment, so nothing cancels between them, on one host either: a bare ratio, and no verdict."
)


def published_comparison(comparison: PublishedComparison) -> Document:
    """A run beside a published study."""
    study = comparison.study
    parts = [Section("Where", lines((*_there(comparison.study.facts), *_here(comparison.here))))]
    titles = [_title(table.printed) for table in comparison.tables]
    unmatched = {side: _reasons(side) for table in comparison.tables for side in table.here if not _has_figures(side)}
    if comparison.tables and all(side in unmatched for table in comparison.tables for side in table.here):
        why = "; ".join(dict.fromkeys(unmatched.values()))
        own = f"sectax run {comparison.study.experiment} --published measures the study's own levels"
        parts.append(Section("Figures", (Lines((f"No figure of this run matches the study ({why}). {own}.",)),)))
        titles = []
    for table, title in zip(comparison.tables, titles, strict=bool(titles)):
        # Tables of the same metric, as a maximum and a median are, differ by the study's own name for them.
        parts += _table(table, title if titles.count(title) == 1 else f"{title} ({printable(table.printed.id)})")
    remarks = (f"{each.id}: {printable(each.subject)}: {printable(each.text)}" for each in study.remarks)
    return Document(
        f"published:{study.id} beside run {printable(comparison.run_id)}: {printable(study.title)}",
        (),
        sections(
            *parts,
            Section("Left out", lines(map(printable, comparison.left_out))),
            Section("Remarks on the study's labels", lines(remarks)),
            Section("What the study does not say", lines(_unknowns(study))),
            Section("So it was chosen", lines(map(printable, comparison.choices))),
        ),
    )


def run_comparison(comparison: RunComparison, *, show_all: bool) -> Document:
    """Two runs side by side.

    Args:
        show_all: secondary comparisons too, where some comparisons answer the question.
    """
    answering = [each for each in comparison.effects if each.a.comparison.standing is Standing.PRIMARY]
    unseen = 0
    if answering and not show_all:
        metrics = {each.metric.name for each in answering}
        unseen = len(comparison.effects) - len(answering)
        absolute = tuple(each for each in comparison.absolute if each.metric.name in metrics)
        comparison = replace(comparison, effects=tuple(answering), absolute=absolute)
    where = (
        f"a: run {printable(comparison.a)}, begun {printable(comparison.started_a)}",
        f"b: run {printable(comparison.b)}, begun {printable(comparison.started_b)}",
    )
    return Document(
        f"run {printable(comparison.a)} beside run {printable(comparison.b)}: {printable(comparison.experiment)}",
        (),
        sections(
            Section("Where", (Lines(where),)),
            _differences(comparison),
            _effects(comparison, unseen),
            _absolute(comparison),
            Section("Only in a", lines(map(printable, comparison.only_a))),
            Section("Only in b", lines(map(printable, comparison.only_b))),
        ),
    )


class _Notes:
    """Numbers the reasons for gaps, so that a table says 'missing [1]' and its foot why."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def missing(self, figure: Figure) -> str:
        return f"missing [{self._numbers.setdefault(figure.missing, len(self._numbers) + 1)}]"

    def footnotes(self) -> tuple[Block, ...]:
        texts = tuple(f"[{number}] {printable(reason)}" for reason, number in self._numbers.items())
        return (Footnotes(texts),) if texts else ()


def _there(facts: dict[str, Fact]) -> tuple[str, ...]:
    known = (facts[name] for name in ("environment", "author") if name in facts)
    return tuple(f"there: {printable(str(each.value))}" for each in known if each.known is not Known.UNKNOWN)


def _here(identity: dict[str, str]) -> tuple[str, ...]:
    # What measures (sectax and its libraries) is of no interest beside what is measured.
    known = [f"{name} {value}" for name, value in identity.items() if name.partition(".")[0] != "sectax"]
    return (f"here: {printable('; '.join(known))}",) if known else ("here: not recorded",)


def _unknowns(study: PublishedStudy) -> tuple[str, ...]:
    notes = {name.replace("_", " "): study.facts[name].note for name in study.unknowns}
    return tuple(printable(f"{name} ({note})" if note else name) for name, note in notes.items())


def _title(table: PublishedTable) -> str:
    fixed = "".join(f", {printable(factor)} {printable(level)}" for factor, level in table.fixed.items())
    return f"{printable(table.metric.replace('_', ' '))}, {printable(table.unit)}{fixed}"


def _has_figures(side: Side) -> bool:
    return any(figure.value is not None for row in side.figures for figure in row)


def _reasons(side: Side) -> str:
    """Why figures are missing."""
    return printable(
        "; ".join(dict.fromkeys(figure.missing for row in side.figures for figure in row if figure.missing))
    )


def _matched(table: ComparedTable) -> ComparedTable:
    """The table with those sides alone that have a figure."""
    kept = [place for place, side in enumerate(table.here) if _has_figures(side)]

    def of(shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
        return tuple(replace(shape, here=tuple(shape.here[place] for place in kept)) for shape in shapes)

    return replace(
        table,
        here=tuple(table.here[place] for place in kept),
        down=of(table.down),
        across=of(table.across),
        absolute=tuple(table.absolute[place] for place in kept if table.absolute),
    )


def _table(table: ComparedTable, title: str) -> list[Section]:
    notes = _Notes()
    there = _side(table.printed, "there, as printed", table.there, units.as_printed, notes)
    without = tuple(f"{printable(side.name)}: {_reasons(side)}" for side in table.here if not _has_figures(side))
    table = _matched(table)
    here = [_side(table.printed, printable(side.name), side, None, notes) for side in table.here]
    figures = Section(title, (there, *here, *notes.footnotes(), *lines(without)))
    if not table.here:
        return [figures]
    notes = _Notes()
    heads = ("ratio", "there", *(printable(side.name) for side in table.here))

    def row(shape: Shape) -> tuple[str, ...]:
        return (printable(shape.name), *(_figure_text(each, units.ratio, notes) for each in (shape.there, *shape.here)))

    shapes = [_grid("", heads, map(row, each)) for each in (table.down, table.across) if each]
    said = Lines(("Ratios within each table; these may be set beside each other.", *_growth(table)))
    shape = Section(f"Shape of {title}", (said, *shapes, *notes.footnotes()))
    notes = _Notes()
    if not table.absolute:
        return [figures, shape]
    ratios = [_side(table.printed, printable(side.name), side, units.ratio, notes) for side in table.absolute]
    absolute = Section(f"Absolute, {title}: this run ÷ published", (Lines((NO_VERDICT,)), *ratios, *notes.footnotes()))
    return [figures, shape, absolute]


def _growth(table: ComparedTable) -> Iterator[str]:
    """'there 10,000 times the bytes take 1.08 times as long, here 900 times', where both are known."""
    if table.growth is None or not table.here:
        return
    there, here = table.growth.shape.there, table.growth.shape.here[0]
    if there.value is not None and here.value is not None:
        times, first = units.number(table.growth.bytes_times), printable(table.printed.column_labels[0])
        yield (
            f"In {first}, {times} times the bytes take {units.ratio(there.value)} times as "
            f"long there, and {units.ratio(here.value)} times as long here."
        )


def _grid(title: str, head: Iterable[str], rows: Iterable[tuple[str, ...]], *, left: bool = False) -> Table:
    """The first column is set to the left, the others to the right unless all are `left`."""
    columns = tuple(Column(text, right=not left and place > 0) for place, text in enumerate(head))
    return Table(title, columns, tuple(map(Row, rows)))


def _side(table: PublishedTable, title: str, side: Side, say: Callable[[float], str] | None, notes: _Notes) -> Table:
    """One side in the study's layout; `say` sets a number, None with the doubt that it carries."""
    rows = [
        (printable(label), *(_figure_text(figure, say, notes) for figure in figures))
        for label, figures in zip(table.row_labels, side.figures, strict=True)
    ]
    return _grid(title, (printable(table.rows), *map(printable, table.column_labels)), rows)


def _figure_text(figure: Figure, say: Callable[[float], str] | None, notes: _Notes) -> str:
    if figure.value is None:
        return notes.missing(figure)
    return say(figure.value) if say else units.with_interval(figure.value, figure.low, figure.high)


def _differences(comparison: RunComparison) -> Section:
    if not comparison.differences:
        return Section("Differences", (Lines(("The runs record the same options, host, software and witnesses.",)),))
    rows = tuple(
        (
            printable(
                f"{each.name} of {each.subject}" if each.subject not in {"run", *each.name.split()} else each.name
            ),
            printable(each.a or "not there"),
            printable(each.b or "not there"),
            "refuses" if each.refuses else "allows",
        )
        for each in comparison.differences
    )
    return Section("Differences", (_grid("", ("what differs", "a", "b", "absolute figures"), rows, left=True),))


def _effects(comparison: RunComparison, unseen: int) -> Section:
    pairs = comparison.effects
    if not pairs:
        return Section("Effects", (Lines(("The runs have no comparison in common.",)),))
    labels = short_names([each.a.comparison.treatment for each in pairs])
    several = len({each.metric.name for each in pairs}) > 1
    rows = tuple(
        (
            f"{label}: {printable(each.metric.name)}" if several else label,
            claims.verdict(each.a, each.metric),
            claims.verdict(each.b, each.metric),
        )
        for label, each in zip(labels, pairs, strict=True)
    )
    line = "Each treatment against the baseline of its own run; no verdict is given on their difference."
    below = (Footnotes((f"{unseen} secondary comparisons: --all",)),) if unseen else ()
    return Section("Effects", (Lines((line,)), _grid("", ("treatment", "a", "b"), rows, left=True), *below))


def short_names(treatments: list[str]) -> list[str]:
    """The ids without the levels that all of them share, in pieces that a line can be broken between."""
    parts = [each.split("/") for each in treatments]
    if len({len(each) for each in parts}) > 1:
        return [printable(" / ".join(each)) for each in parts]
    varying = [place for place in range(len(parts[0])) if len({each[place] for each in parts}) > 1]
    return [printable(" · ".join(each[place] for place in varying or [len(each) - 1])) for each in parts]


def _absolute(comparison: RunComparison) -> Section:
    grids = []
    notes = _Notes()
    metrics: dict[str, Metric] = {each.metric.name: each.metric for each in comparison.absolute}
    for name, metric in metrics.items():
        pairs = [each for each in comparison.absolute if each.metric.name == name]
        figures = [figure.value for each in pairs for figure in (each.a, each.b) if figure.value is not None]
        column = units.scale(metric.unit, figures)
        rows = []
        labels = short_names([pair.treatment for pair in pairs])
        for label, pair in zip(labels, pairs, strict=True):
            if pair.refused:
                quotient = notes.missing(Figure(None, pair.refused)).replace("missing", "refused")
            else:
                quotient = units.ratio(pair.ratio) if pair.ratio is not None else "–"
            rows.append((label, *(_scaled(each, column) for each in (pair.a, pair.b)), quotient))
        title = f"{printable(name.replace('_', ' '))}, {printable(column.unit)}"
        grids.append(_grid(title, ("treatment", "a", "b", "b : a"), rows))
    if not grids:
        return Section("Absolute figures", ())
    return Section("Absolute figures", (Lines((NO_VERDICT, SHARED_BLOCKS)), *grids, *notes.footnotes()))


def _scaled(figure: Figure, column: units.Scale) -> str:
    if figure.value is None:
        return "–"
    bounds = [None if each is None else each / column.size for each in (figure.low, figure.high)]
    return units.with_interval(figure.value / column.size, bounds[0], bounds[1])
