"""Small plans for tests."""

from __future__ import annotations

from sectax.design.matrix import Rules, build
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Calibrated, Calibration, Plan, Stopping
from sectax.model.treatment import Factor

THROUGHPUT = Metric("throughput", "operations/s", Better.HIGHER, Summary.RATE, "batch_time")


def small_plan(
    *, margin: float = 0.02, max_blocks: int = 40, fixed: int | None = None, metrics=(THROUGHPUT,), **more
) -> Plan:
    """Two cells of one family: three algorithms each, and the controls in the first."""
    factors = (Factor("operation", ("sign", "verify")), Factor("algorithm", ("RS256", "ES256", "EdDSA")))
    stopping = Stopping(margin=margin, max_blocks=fixed or max_blocks, fixed_blocks=fixed)
    rules = Rules(family=lambda levels: "fake")
    matrix = build(factors, "algorithm", "RS256", metrics, stopping, rules)
    return Plan(
        experiment="fake",
        preset="default",
        question="?",
        transfers="Nothing.",
        control="algorithm",
        factors=factors,
        metrics=metrics,
        cells=matrix.cells,
        treatments=matrix.treatments,
        comparisons=matrix.comparisons,
        skipped=matrix.skipped,
        stopping=stopping,
        seed=7,
        batch_s=0.02,
        **more,
    )


def calibrated_for(plan: Plan, *, rounds: int = 4, count: int = 100) -> Calibrated:
    """A calibration that needs no pilot: 0.2 ms an operation."""
    return Calibrated(
        {
            treatment.id: Calibration(treatment.id, count, 2, count * 2e-4, 0.05, 1e-8, 5e-8)
            for treatment in plan.treatments
        },
        {cell.id: rounds for cell in plan.cells},
    )
