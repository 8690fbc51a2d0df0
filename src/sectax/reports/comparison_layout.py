"""Reports that compare a run with a published study, or with another run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from sectax.model.compared import NOT_IN_RUN, ComparedTable, Figure, PublishedComparison, RunComparison, Shape, Side
from sectax.model.metric import Metric
from sectax.model.plan import Plan
from sectax.model.published import Known, PublishedStudy, PublishedTable
from sectax.model.treatment import Standing
from sectax.reports.document import Document, Footnotes, Lines, Section, SectionKind, Table, grid, lines, sections
from sectax.reports.notes import revision, software
from sectax.reports.reasons import Gaps
from sectax.reports.result_tables import SHARED_BLOCKS
from sectax.reports.words import names
from sectax.text import claims, units
from sectax.text.printable import printable

NO_VERDICT = (
    "No verdict: the runs are from different times, and the machine may have changed in between. "
    "In brackets: the interval of the ratio."
)
_WITHIN = (
    "Ratios within one table can be compared between the study and this run. In brackets: the interval of this run's "
    "own comparison, or else the range that the intervals of both figures allow."
)


def published_comparison(comparison: PublishedComparison, *, show_all: bool) -> Document:
    """Compare a run with a published study; `show_all` includes unmatched figures."""
    study = comparison.study
    where = Section("Where", lines(_where(comparison)))
    figures: list[Section] = []
    titles = [_title(table.printed) for table in comparison.tables]
    matched = [any(map(_has_figures, table.here)) for table in comparison.tables]
    for table, title, has_figures in zip(comparison.tables, titles, matched, strict=True):
        if has_figures or (show_all and any(matched)):
            # Tables of one metric, such as its maximum and median, differ by the study's name for them.
            heading = title if titles.count(title) == 1 else f"{title} ({printable(table.printed.id)})"
            figures += _table(comparison, table, heading, show_all=show_all)
    remarks = (f"{note.id}: {printable(note.subject)}: {printable(note.text)}" for note in study.remarks)
    conclusion = (*_bottom_line(comparison.tables), *_missing(comparison, show_all=show_all))
    return Document(
        f"{_file(comparison.path, comparison.run_id)} compared with published:{study.id}: {printable(study.title)}",
        (),
        sections(
            where,
            *figures,
            Section("Left out", lines(map(printable, comparison.left_out))),
            Section("Remarks on the study's labels", lines(remarks)),
            Section("Not stated by the study", lines(_unknowns(study))),
            Section("Choices", lines(map(printable, comparison.choices))),
            Section("Conclusion", lines(conclusion, long=True), SectionKind.ANSWER),
        ),
    )


def _bottom_line(tables: Iterable[ComparedTable]) -> Iterator[str]:
    """How many intervals contain the study's ratio, and which ratios are opposite."""
    sides: dict[str, list[tuple[str, float, Figure]]] = {}
    for table in tables:
        for shape in (*table.down, *table.across):
            for side, figure in zip(table.here, shape.here, strict=True):
                if shape.there.value and figure.value:
                    sides.setdefault(side.name, []).append((shape.name, shape.there.value, figure))
    for name, ratios in sides.items():
        with_interval = [(there, here.low, here.high) for _, there, here in ratios if here.low and here.high]
        narrow = [ends for ends in with_interval if not _is_noisy(*ends[1:])]
        agree = sum(low <= there <= high for there, low, high in narrow)
        parts = [f"{agree} of {len(narrow)} published ratios are within this run's intervals"] if narrow else []
        if noisy := len(with_interval) - len(narrow):
            parts.append(f"{noisy} too noisy")
        if bare := len(ratios) - len(with_interval):
            parts.append(f"{bare} {'more ' if narrow else ''}ratio{'' if bare == 1 else 's'} without an interval")
        opposite = [
            ratio
            for ratio, there, here in ratios
            if there > 1 > (here.high or here.value or there) or there < 1 < (here.low or here.value or there)
        ]
        direction = f"opposite direction: {', '.join(opposite)}" if opposite else "none has the opposite direction"
        yield printable(f"{name}: {', '.join(parts)}; {direction}.")


def _missing(comparison: PublishedComparison, *, show_all: bool) -> Iterator[str]:
    """The number of the study's figures that this run lacks, and why."""
    cells = [
        [side.figures[row][column] for side in [*filter(_has_figures, table.here)] or table.here]
        for table in comparison.tables
        for row, figures in enumerate(table.there.figures)
        for column, figure in enumerate(figures)
        if figure.value is not None
    ]
    lacking = [cell for cell in cells if all(figure.value is None for figure in cell)]
    if not lacking:
        return
    reasons = dict.fromkeys(figure.missing for cell in lacking for figure in cell)
    why = printable("; ".join(reasons))
    if len(lacking) == len(cells):
        levels = " and ".join(_factors_without_level(comparison))
        finding = f"No figure of this run matches the study ({f'which has no {levels}' if levels else why})"
    else:
        verb = "is" if len(lacking) == 1 else "are"
        finding = f"{len(lacking)} of the study's {len(cells)} figures {verb} missing here ({why})"
    command = f"sectax run {comparison.study.experiment} --published measures the study's own levels"
    more = [command] if NOT_IN_RUN in reasons and comparison.plan.preset != "published" else []
    more += ["--all lists them"] if len(lacking) < len(cells) and not show_all else []
    yield f"{finding}{': ' if more else ''}{'; '.join(more)}."


def _factors_without_level(comparison: PublishedComparison) -> Iterator[str]:
    """The factors in which the study has none of the run's levels, with these levels."""
    counterpart, plan = comparison.study.counterpart, comparison.plan
    assert counterpart is not None, "a study without a counterpart is not compared"
    for theirs, ours in counterpart.factors.items():
        labels = {*counterpart.labels.get(theirs, {}).values()}
        levels = next((factor.levels for factor in plan.factors if factor.name == ours), ())
        if ours != plan.control and labels and labels.isdisjoint(levels):
            yield printable(f"{ours} {', '.join(levels)}")


def run_comparison(comparison: RunComparison, *, show_all: bool) -> Document:
    """Compare two runs; `show_all` includes secondary comparisons."""
    answering = [pair for pair in comparison.effects if pair.a.comparison.standing is Standing.PRIMARY]
    unseen = 0
    if answering and not show_all:
        metrics = {pair.metric.name for pair in answering}
        unseen = len(comparison.effects) - len(answering)
        absolute = tuple(pair for pair in comparison.absolute if pair.metric.name in metrics)
        comparison = replace(comparison, effects=tuple(answering), absolute=absolute)
    files = [*map(_file, comparison.paths, (comparison.a, comparison.b))]
    begun = zip("ab", files, (comparison.started_a, comparison.started_b), strict=True)
    codes = (f"; {code}" if code else "" for code in map(revision, comparison.revisions))
    where = (
        f"{side}: {file}, started {printable(started)}{code}"
        for (side, file, started), code in zip(begun, codes, strict=True)
    )
    only = (
        (names.subject(plan, comparison_id) for comparison_id in ids)
        for plan, ids in zip(comparison.plans, (comparison.only_a, comparison.only_b), strict=True)
    )
    return Document(
        f"{' compared with '.join(files)}: {printable(comparison.experiment)}",
        (),
        sections(
            Section("Where", lines(where)),
            _differences(comparison),
            _effects(comparison, unseen),
            _absolute(comparison),
            *(Section(f"Only in {side}", lines(own)) for side, own in zip("ab", only, strict=True)),
        ),
    )


def _file(path: str, run_id: str) -> str:
    return printable(path or f"run {run_id}")


def _where(comparison: PublishedComparison) -> Iterator[str]:
    facts = comparison.study.facts
    for name in ("environment", "author"):
        if name in facts and facts[name].known is not Known.UNKNOWN:
            yield f"study: {printable(str(facts[name].value))}"
    identity = {name: value for name, value in comparison.here.items() if name.partition(".")[0] != "sectax"}
    yield from (f"this run: {text}" for text in software(identity).values() or ("not recorded",))


def _unknowns(study: PublishedStudy) -> Iterator[str]:
    for name in study.unknowns:
        note = study.facts[name].note
        yield printable(name.replace("_", " ") + (f" ({note})" if note else ""))


def _title(table: PublishedTable) -> str:
    fixed = "".join(f", {printable(factor)} {printable(level)}" for factor, level in table.fixed.items())
    return f"{printable(table.metric.replace('_', ' '))}, {printable(table.unit)}{fixed}"


def _has_figures(side: Side) -> bool:
    return any(figure.value is not None for row in side.figures for figure in row)


def _matched(table: ComparedTable, *, show_all: bool) -> ComparedTable:
    """The table without sides that have no figure."""
    places = [place for place, side in enumerate(table.here) if _has_figures(side)]

    def matched(shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
        with_places = (replace(shape, here=tuple(shape.here[place] for place in places)) for shape in shapes)
        # If the run has both figures but no verdict on their ratio, the reason is shown.
        return tuple(
            shape
            for shape in with_places
            if show_all or any(ratio.value is not None or ratio.treatment for ratio in shape.here)
        )

    here = tuple(table.here[place] for place in places)
    return replace(table, here=here, down=matched(table.down), across=matched(table.across))


def _table(comparison: PublishedComparison, table: ComparedTable, title: str, *, show_all: bool) -> list[Section]:
    notes = Gaps()
    there = _side(
        table.printed, "study, as printed", table.there, lambda figure: units.as_printed(figure.value or 0.0), notes
    )
    without = []
    for side in (side for side in table.here if show_all and not _has_figures(side)):
        reasons = dict.fromkeys(figure.missing for row in side.figures for figure in row if figure.missing)
        without.append(printable(f"{side.name}: {'; '.join(reasons)}"))
    table = _matched(table, show_all=show_all)
    here = [
        _side(table.printed, printable(side.name), side, _measured, notes, show_all=show_all) for side in table.here
    ]
    measured = [text for metric in table.metrics if (text := _timed(comparison.plan, metric))]
    figures = Section(title, (*lines(measured), there, *here, *notes.footnotes(), *lines(without)))
    if not table.here:
        return [figures]
    notes = Gaps()
    heads = ("ratio", "study", *(printable(side.name) for side in table.here))

    def row(shape: Shape) -> tuple[str, ...]:
        return (printable(shape.name), *(_ratio(figure, notes) for figure in (shape.there, *shape.here)))

    shapes = [grid("", heads, map(row, ratios)) for ratios in (table.down, table.across) if ratios]
    explained = (Lines((_WITHIN,)), *shapes, *notes.footnotes()) if shapes else ()
    return [figures, Section(f"Shape of {title}", explained)]


def _side(
    table: PublishedTable, title: str, side: Side, text: Callable[[Figure], str], notes: Gaps, *, show_all: bool = True
) -> Table:
    """One side in the study's layout; `text` formats a figure."""
    rows = [
        (
            printable(label),
            *(notes.missing(figure.missing) if figure.value is None else text(figure) for figure in figures),
        )
        for label, figures in zip(table.row_labels, side.figures, strict=True)
        if show_all or any(figure.value is not None for figure in figures)
    ]
    return grid(title, (printable(table.rows), *map(printable, table.column_labels)), rows)


def _measured(figure: Figure, size: float = 1.0) -> str:
    low, high = (None if end is None else end / size for end in (figure.low, figure.high))
    return units.with_interval((figure.value or 0.0) / size, low, high)


def _ratio(figure: Figure, notes: Gaps) -> str:
    """'14.7 (10 to 21)', 'undecided (0.8 to 1.4)', 'too noisy' or 'missing [1]'."""
    value, low, high = figure.value, figure.low, figure.high
    if value is None:
        return notes.missing(figure.missing)
    if low is None or high is None:
        return units.ratio(value)
    if _is_noisy(low, high):
        return "too noisy"
    interval, number = units.span(low, high, nothing=1.0), units.number(value, high - low)
    if figure.undecided:
        return f"undecided ({interval})"
    return f"{number} ({interval})" if " to " in interval else number


def _is_noisy(low: float, high: float) -> bool:
    return low <= 0 or claims.is_too_wide(math.log(low), math.log(high))


def _timed(plan: Plan, metric: Metric) -> str:
    """The clock of a metric's figures, if the run's own answer uses the other clock."""
    primary = plan.metrics[0]
    if metric.unit == "B" or metric.cpu == primary.cpu:
        return ""
    clocks = ["CPU time" if timed.cpu else "wall time" for timed in (metric, primary)]
    return f"this run in {clocks[0]}, like the study; its own answer is in {clocks[1]}: sectax show"


def _wider_plan(comparison: RunComparison) -> Plan:
    """The plan in which more factors vary; its labels are unique in both runs."""
    return max(comparison.plans, key=lambda plan: len(names.varying_factors(plan)))


def _differences(comparison: RunComparison) -> Section:
    if not comparison.differences:
        return Section("Differences", (Lines(("The runs record the same options, host, software and witnesses.",)),))
    rows = tuple(
        (
            printable(
                difference.name
                if difference.subject in {"run", *difference.name.split()}
                else f"{difference.name} of {names.subject(_wider_plan(comparison), difference.subject)}"
            ),
            printable(difference.a or "missing"),
            printable(difference.b or "missing"),
            "not comparable" if difference.refuses else "comparable",
        )
        for difference in comparison.differences
    )
    return Section("Differences", (grid("", ("what differs", "a", "b", "absolute figures"), rows, words=4),))


def _effects(comparison: RunComparison, unseen: int) -> Section:
    pairs = comparison.effects
    if not pairs:
        return Section("Effects", (Lines(("The runs have no comparison in common.",)),))
    plan, metrics = _wider_plan(comparison), {pair.metric.name for pair in pairs}
    rows = tuple(
        (
            names.subject(plan, pair.comparison if len(metrics) > 1 else pair.a.comparison.treatment),
            claims.verdict(pair.a, pair.metric),
            claims.verdict(pair.b, pair.metric),
        )
        for pair in pairs
    )
    line = "Each treatment against the baseline of its own run; there is no verdict on their difference."
    below = (Footnotes((f"{unseen} secondary comparisons: --all",)),) if unseen else ()
    head = "treatment" if len(metrics) > 1 else names.metric(plan, metrics.pop())
    return Section("Effects", (Lines((line,)), grid("", (head, "a", "b"), rows, words=3), *below))


def _absolute(comparison: RunComparison) -> Section:
    grids = []
    notes = Gaps()
    metrics: dict[str, Metric] = {pair.metric.name: pair.metric for pair in comparison.absolute}
    for name, metric in metrics.items():
        pairs = [pair for pair in comparison.absolute if pair.metric.name == name]
        figures = [figure.value for pair in pairs for figure in (pair.a, pair.b) if figure.value is not None]
        column = units.scale(metric.unit, figures)
        rows = []
        for pair in pairs:
            quotient = _ratio(pair.ratio, notes).replace("missing", "not comparable")
            label = names.subject(_wider_plan(comparison), pair.treatment)
            values = ("–" if figure.value is None else _measured(figure, column.size) for figure in (pair.a, pair.b))
            rows.append((label, *values, quotient))
        title = f"{names.metric(_wider_plan(comparison), name)}, {printable(column.unit)}"
        grids.append(grid(title, ("treatment", "a", "b", "b : a"), rows))
    if not grids:
        return Section("Absolute figures", ())
    return Section("Absolute figures", (Lines((NO_VERDICT, SHARED_BLOCKS)), *grids, *notes.footnotes()))
