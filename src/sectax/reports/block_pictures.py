"""Charts of the blocks over time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from sectax.model.analysed import Analysed
from sectax.model.metric import Metric
from sectax.model.plan import Plan
from sectax.model.treatment import MEASURED, Cell
from sectax.reports.document import Axis, Block, Chart, Point, Series, Text
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
        blocks_of = {member: values[member] for member in members if values.get(member)}
        if not blocks_of:
            continue
        if drawn_cells == MOST_CELLS:
            yield Text(f"Blocks are drawn for the first {drawn_cells} of {len(plan.cells)} groups of treatments.")
            return
        drawn_cells += 1
        yield _chart(plan, cell, metric, blocks_of)


def _thinned(blocks_of: Mapping[str, Mapping[int, float]]) -> tuple[dict[str, dict[int, float]], str]:
    """The treatments and blocks that a chart can show, and what is left out."""
    longest = max(map(len, blocks_of.values()))
    most = max(2, min(_MOST_TREATMENTS, _MOST_POINTS // longest))
    step = math.ceil(most * longest / _MOST_POINTS) if len(blocks_of) >= most else 1
    thinned = {name: dict(sorted(blocks.items())[::step]) for name, blocks in list(blocks_of.items())[:most]}
    left_out = [f" Only the first {most} of {len(blocks_of)} treatments are drawn."] if len(blocks_of) > most else []
    left_out += [f" One block in {step} is drawn."] if step > 1 else []
    return thinned, "".join(left_out)


def _chart(plan: Plan, cell: Cell, metric: Metric, blocks_of: Mapping[str, Mapping[int, float]]) -> Chart:
    blocks_of, left_out = _thinned(blocks_of)
    column = units.scale(metric.unit, (value for blocks in blocks_of.values() for value in blocks.values()))
    scaled = {
        names.treatment(plan, name): {block: value / column.size for block, value in blocks.items()}
        for name, blocks in blocks_of.items()
    }
    where = names.cell(plan, cell.id)
    subject = f"{names.metric(plan, metric.name)}{f', {where}' if where else ''}"
    unit = f"{names.metric(plan, metric.name)}, {printable(column.unit)}"
    logarithmic = needs_log_scale([value for blocks in scaled.values() for value in blocks.values()])
    return Chart(
        subject,
        f"A drift or a jump shows that the machine changed.{left_out}",
        Axis("block"),
        Axis(unit, logarithmic=logarithmic),
        tuple(
            Series(name, tuple(Point(float(block), value) for block, value in sorted(blocks.items())))
            for name, blocks in scaled.items()
        ),
    )
