"""About how long a block will last, from what the pilot saw: the order of a block, played without subjects."""

from __future__ import annotations

from collections.abc import Mapping

from sectax.design.order import plan_block
from sectax.model.plan import Calibrated, Plan


def block_s(plan: Plan, calibrated: Calibrated, gaps: Mapping[str, float], *, pace: float = 1.0) -> float:
    """Seconds of a block of all treatments that the pilot could try: opening, warming up, settling, visits, idle gaps.

    Args:
        pace: how many times longer visits take than where nothing disturbs them.
        gaps: by treatment, the seconds that must lie between the end of one of its operations and its next one, whoever
            else works meanwhile; 0 for one that is not here.
    """
    seen = calibrated.calibrations
    block = plan_block(plan, calibrated, 1, seen)
    now, ended = 0.0, dict.fromkeys(seen, 0.0)

    def work(name: str, operations: int) -> None:
        nonlocal now
        gap_s, operation_s = gaps.get(name, 0.0), pace * seen[name].batch_s / seen[name].count
        if operations:
            begins = max(now, ended[name] + gap_s)
            now = ended[name] = begins + operations * operation_s + (operations - 1) * gap_s

    for cell in block.cells:
        for name in cell.opening:
            now += seen[name].open_s
            ended[name] = now
        for name, (batches, count) in cell.warmup.items():
            work(name, batches * count)
        for visit in cell.visits:
            now += pace * seen[visit.treatment].waits_s
            work(visit.treatment, visit.work.settle + visit.work.count + visit.work.extra)
    return now
