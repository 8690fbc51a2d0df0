"""Where a cost sits: what a treatment takes beyond its baseline in several metrics, block by block."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.analysis.anatomy import over_blocks
from sectax.model.advice import Placed
from sectax.model.advice_rules import Places
from sectax.model.measured import Measured
from sectax.model.treatment import Role


def placed(measured: Measured, places: Places) -> Iterator[Placed]:
    """Every treatment with the metrics that it and its baseline have in common blocks."""
    plan, level = measured.plan, 1 - measured.plan.stopping.alpha
    units = {metric.name: metric.unit for metric in plan.metrics}
    for each in plan.treatments:
        if each.role is not Role.TREATMENT:
            continue
        parts = []
        for metric, words in places.metrics:
            columns = measured.values.get(metric, {})
            own, base = columns.get(each.id, {}), columns.get(plan.cell(each.cell).baseline, {})
            more = [own[block] - base[block] for block in measured.blocks if block in own and block in base]
            if more:
                parts.append((words, over_blocks(more, level, units[metric])))
        if parts:
            yield Placed(each.cell, each.id, tuple(parts))
