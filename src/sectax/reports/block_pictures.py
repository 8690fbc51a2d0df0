"""Blocks one by one: of each treatment, in the order in which they ran, and what the kernel reported of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from sectax.model.analysed import Analysed
from sectax.model.measured import Measured
from sectax.model.metric import Metric
from sectax.model.plan import Plan
from sectax.model.treatment import MEASURED, Cell
from sectax.reports import units
from sectax.reports.document import Axis, Block, Chart, Point, Series, Text
from sectax.reports.scale import is_far
from sectax.reports.words import names
from sectax.text.printable import printable

# More cells than these are not drawn block by block: nobody looks at so many pictures.
MOST_CELLS = 6
# More treatments than these have no shape of their own.
_MOST_TREATMENTS = 8
# More points than these in one picture make a page slow and large, and no eye tells them apart.
_MOST_POINTS = 2000
# What the kernel tells -> what the time was spent with.
_LOST = {
    "run_queue_delay_s": "waiting for a processor",
    "steal_s": "stolen by other machines",
    "throttled_s": "held back by a quota",
}


def block_by_block(analysed: Analysed) -> Iterator[Block]:
    """Of the metric that answers, every block as a point: by treatment, and in the order in which they ran."""
    plan = analysed.measured.plan
    metric = plan.metrics[0]
    values = analysed.measured.values.get(metric.name, {})
    drawn_cells = 0
    for cell in plan.cells:
        members = [
            treatment.id for treatment in plan.treatments if treatment.cell == cell.id and treatment.role in MEASURED
        ]
        seen = {member: values[member] for member in members if values.get(member)}
        if not seen:
            continue
        if drawn_cells == MOST_CELLS:
            yield Text(f"Blocks are drawn for the first {drawn_cells} of {len(plan.cells)} groups of treatments.")
            return
        drawn_cells += 1
        yield from _block_charts(plan, cell, metric, seen)


def _thinned(seen: Mapping[str, Mapping[int, float]]) -> tuple[dict[str, dict[int, float]], str]:
    """As many treatments and blocks as a picture can show, and what it leaves out in words."""
    longest = max(map(len, seen.values()))
    most = max(2, min(_MOST_TREATMENTS, _MOST_POINTS // longest))
    every = math.ceil(most * longest / _MOST_POINTS) if len(seen) >= most else 1
    kept = {name: dict(sorted(blocks.items())[::every]) for name, blocks in list(seen.items())[:most]}
    left_out = [f" Only the first {most} of {len(seen)} treatments are drawn."] if len(seen) > most else []
    left_out += [f" One block in {every} is drawn."] if every > 1 else []
    return kept, "".join(left_out)


def _block_charts(plan: Plan, cell: Cell, metric: Metric, seen: Mapping[str, Mapping[int, float]]) -> Iterator[Chart]:
    seen, left_out = _thinned(seen)
    column = units.scale(metric.unit, (value for blocks in seen.values() for value in blocks.values()))
    scaled = {
        names.treatment(plan, name): {block: value / column.size for block, value in blocks.items()}
        for name, blocks in seen.items()
    }
    where = names.cell(plan, cell.id)
    of = f"{names.metric(plan, metric.name)}{f', {where}' if where else ''}"
    unit = f"{names.metric(plan, metric.name)}, {printable(column.unit)}"
    far = is_far([value for blocks in scaled.values() for value in blocks.values()])
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


def time_lost(measured: Measured) -> Iterator[Chart]:
    """What the kernel reported of the blocks: the time that their subjects were kept from a processor."""
    by_block = dict(sorted(measured.block_telemetry.items()))
    every = max(1, math.ceil(len(by_block) * len(_LOST) / _MOST_POINTS))
    kept = dict(list(by_block.items())[::every])
    column = units.scale("s", (of[name] for of in kept.values() for name in _LOST if of.get(name, 0.0) > 0))
    series = [
        Series(words, tuple(Point(float(block), of[name] / column.size) for block, of in kept.items() if name in of))
        for name, words in _LOST.items()
        if any(of.get(name, 0.0) > 0 for of in kept.values())
    ]
    if series:
        none = [words for name, words in _LOST.items() if name in next(iter(kept.values()))]
        none = [words for words in none if words not in {one.name for one in series}]
        says = "In the batches that count, all treatments together."
        says += f" There was none {', none '.join(none)}." if none else ""
        says += f" One block in {every} is drawn." if every > 1 else ""
        yield Chart(
            "During the blocks: time without a processor",
            says,
            Axis("block"),
            Axis(f"in the block, {column.unit}"),
            tuple(series),
            joined=True,
        )
