"""Charts of the blocks over time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from sectax.model.analysed import Analysed
from sectax.model.metric import Metric
from sectax.model.plan import Plan
from sectax.model.treatment import MEASURED, Cell
from sectax.reports.document import Axis, Block, Chart, ChartSeries, Point, Text
from sectax.reports.scale import needs_log_scale
from sectax.reports.words import names
from sectax.text import units
from sectax.text.printable import printable

MOST_CELLS = 6
# There are this many shapes.
_MOST_TREATMENTS = 8
# More points make a page slow and cannot be distinguished.
_MOST_POINTS = 2000


def over_time(analysed: Analysed) -> Iterator[Block]:
    """A chart for each cell with the first metric's value in every block."""
    plan = analysed.measured.plan
    metric = plan.metrics[0]
    values = analysed.measured.values.get(metric.name, {})
    drawn_cells = 0
    for cell in plan.cells:
        members = [
            treatment.id for treatment in plan.treatments if treatment.cell == cell.id and treatment.role in MEASURED
        ]
        values_by_treatment = {member: values[member] for member in members if values.get(member)}
        if not values_by_treatment:
            continue
        if drawn_cells == MOST_CELLS:
            yield Text(f"Blocks are drawn for the first {drawn_cells} of {len(plan.cells)} groups of treatments.")
            return
        drawn_cells += 1
        yield _chart(plan, cell, metric, values_by_treatment)


def _thinned(values_by_treatment: Mapping[str, Mapping[int, float]]) -> tuple[dict[str, dict[int, float]], str]:
    """The treatments and blocks that a chart can show, and what is left out."""
    longest = max(map(len, values_by_treatment.values()))
    most = max(2, min(_MOST_TREATMENTS, _MOST_POINTS // longest))
    step = math.ceil(most * longest / _MOST_POINTS) if len(values_by_treatment) >= most else 1
    thinned = {name: dict(sorted(blocks.items())[::step]) for name, blocks in list(values_by_treatment.items())[:most]}
    left_out = []
    if len(values_by_treatment) > most:
        left_out.append(f" Only the first {most} of {len(values_by_treatment)} treatments are drawn.")
    left_out += [f" One block in {step} is drawn."] if step > 1 else []
    return thinned, "".join(left_out)


def _chart(plan: Plan, cell: Cell, metric: Metric, values_by_treatment: Mapping[str, Mapping[int, float]]) -> Chart:
    values_by_treatment, left_out = _thinned(values_by_treatment)
    column = units.scale(metric.unit, (value for blocks in values_by_treatment.values() for value in blocks.values()))
    scaled = {
        names.treatment(plan, name): {block: value / column.size for block, value in blocks.items()}
        for name, blocks in values_by_treatment.items()
    }
    cell_label = names.cell(plan, cell.id)
    subject = f"{names.metric(plan, metric.name)}{f', {cell_label}' if cell_label else ''}"
    unit = f"{names.metric(plan, metric.name)}, {printable(column.unit)}"
    logarithmic = needs_log_scale([value for blocks in scaled.values() for value in blocks.values()])
    return Chart(
        subject,
        f"A drift or a jump shows that the machine changed.{left_out}",
        Axis("block"),
        Axis(unit, logarithmic=logarithmic),
        tuple(
            ChartSeries(name, tuple(Point(float(block), value) for block, value in sorted(blocks.items())))
            for name, blocks in scaled.items()
        ),
    )
