"""What of a run can be drawn: only what was measured or found, nothing between the points."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from sectax.model.analysed import Analysed
from sectax.model.finding import Finding
from sectax.model.metric import Metric
from sectax.model.plan import Plan
from sectax.model.printable import printable
from sectax.model.treatment import CONTROLS, Cell, Factor, Role, Standing
from sectax.reports import units
from sectax.reports.document import Axis, Block, Chart, Column, Point, Row, Series, Table, Text
from sectax.reports.result_tables import drawn, tone
from sectax.reports.words import names

# More cells than these are not drawn block by block: nobody looks at so many pictures.
MOST_CELLS = 6
# More treatments than these have no shape of their own.
_MOST_TREATMENTS = 8
# More points than these in one picture make a page slow and large, and no eye tells them apart.
_MOST_POINTS = 2000
# Values further apart than this ratio are drawn in equal ratios.
_FAR = 4.0


def pictures(analysed: Analysed) -> tuple[Block, ...]:
    """The run's costs against what grows, and its blocks one by one."""
    return (*_growing(analysed), *_blocks(analysed))


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


def _growing(analysed: Analysed) -> Iterator[Chart]:
    """The cost of a treatment against every factor whose levels are numbers."""
    plan = analysed.measured.plan
    for factor in plan.factors:
        values = _numbers(plan, factor)
        if factor.name == plan.control or len(set(values.values())) < 2:
            continue
        metric = plan.metrics[0]
        series: dict[str, list[Point]] = {}
        for finding in analysed.findings:
            seen, cell = drawn(finding), plan.cell(finding.comparison.cell)
            if finding.comparison.metric != metric.name or seen is None or finding.comparison.standing in CONTROLS:
                continue
            point = Point(values[cell.levels[factor.name]], seen.point, seen.low, seen.high)
            series.setdefault(_without(plan, cell, factor, finding.comparison.treatment), []).append(point)
        if series:
            yield Chart(
                f"Cost against {printable(factor.name)}: {names.metric(plan, metric.name)}",
                "Each point is one comparison with its interval; nothing was measured between them.",
                Axis(printable(factor.name), at=_marked(values), logarithmic=_far(list(values.values()))),
                Axis("times the cost of the baseline", logarithmic=True, line=1.0),
                tuple(Series(name, tuple(sorted(points, key=lambda each: each.x))) for name, points in series.items()),
            )


def _numbers(plan: Plan, factor: Factor) -> Mapping[str, float]:
    """Level -> its number; empty where one has none."""
    if plan.contents is not None and plan.contents.size_factor == factor.name:
        return {level: float(plan.contents.sizes[level]) for level in factor.levels}
    if all(re.fullmatch(r"\d+(\.\d+)?", level) for level in factor.levels):
        return {level: float(level) for level in factor.levels}
    return {}


def _marked(values: Mapping[str, float]) -> tuple[tuple[float, str], ...]:
    return tuple((value, printable(level)) for level, value in values.items())


def _without(plan: Plan, cell: Cell, factor: Factor, treatment: str) -> str:
    """What a treatment is called where one factor of its cell lies along an axis."""
    varying = names.varying_factors(plan)
    own = [level for name, level in cell.levels.items() if name in varying and name != factor.name]
    return " · ".join((*map(printable, own), names.treatment(plan, treatment)))


def _blocks(analysed: Analysed) -> Iterator[Block]:
    """Of the metric that answers, every block as a point: by treatment, and in the order in which they ran."""
    plan = analysed.measured.plan
    metric = plan.metrics[0]
    values = analysed.measured.values.get(metric.name, {})
    drawn_cells = 0
    for cell in plan.cells:
        members = [each.id for each in plan.treatments if each.cell == cell.id and each.role in _SHOWN]
        seen = {each: values[each] for each in members if values.get(each)}
        if not seen:
            continue
        if drawn_cells == MOST_CELLS:
            yield Text(f"Blocks are drawn of the first {drawn_cells} of {len(plan.cells)} groups of treatments.")
            return
        drawn_cells += 1
        yield from _block_charts(plan, cell, metric, seen)


def _thinned(seen: Mapping[str, Mapping[int, float]]) -> tuple[dict[str, dict[int, float]], str]:
    """As many treatments and blocks as a picture can show, and what it leaves out in words."""
    longest = max(map(len, seen.values()))
    most = max(2, min(_MOST_TREATMENTS, _MOST_POINTS // longest))
    every = math.ceil(most * longest / _MOST_POINTS) if len(seen) >= most else 1
    kept = {each: dict(sorted(blocks.items())[::every]) for each, blocks in list(seen.items())[:most]}
    left_out = [f" Drawn are the first {most} of {len(seen)} treatments."] if len(seen) > most else []
    left_out += [f" One block in {every} is drawn."] if every > 1 else []
    return kept, "".join(left_out)


_SHOWN = frozenset({Role.BASELINE, Role.TREATMENT})


def _block_charts(plan: Plan, cell: Cell, metric: Metric, seen: Mapping[str, Mapping[int, float]]) -> Iterator[Chart]:
    seen, left_out = _thinned(seen)
    column = units.scale(metric.unit, (value for blocks in seen.values() for value in blocks.values()))
    scaled = {
        names.treatment(plan, each): {block: value / column.size for block, value in blocks.items()}
        for each, blocks in seen.items()
    }
    where = names.cell(plan, cell.id)
    of = f"{names.metric(plan, metric.name)}{f', {where}' if where else ''}"
    unit = f"{names.metric(plan, metric.name)}, {printable(column.unit)}"
    far = _far([value for blocks in scaled.values() for value in blocks.values()])
    yield Chart(
        f"Every block of each treatment: {of}",
        f"One point per block.{left_out}",
        Axis(unit, logarithmic=far),
        Axis("", names=tuple(scaled)),
        tuple(
            Series(name, tuple(Point(value, float(place)) for value in blocks.values()))
            for place, (name, blocks) in enumerate(scaled.items())
        ),
    )
    yield Chart(
        f"Blocks over time: {of}",
        f"The lines lead the eye from block to block; a drift or a jump shows that the machine changed.{left_out}",
        Axis("block"),
        Axis(unit, logarithmic=far),
        tuple(
            Series(name, tuple(Point(float(block), value) for block, value in sorted(blocks.items())))
            for name, blocks in scaled.items()
        ),
        joined=True,
    )


def _far(values: list[float]) -> bool:
    """Whether values are so far apart that small ones could not be told from each other on a straight scale."""
    sizes = [each for each in values if math.isfinite(each)]
    return bool(sizes) and min(sizes) > 0 and max(sizes) / min(sizes) > _FAR
