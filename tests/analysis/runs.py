"""Small runs for tests, given as the values of their blocks."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from sectax.model.environment import Environment
from sectax.model.measured import BatchStatistics, Failure, Measured
from sectax.model.metric import Better, Metric, Summary
from sectax.model.plan import Calibrated, Calibration, Plan, Stopping
from sectax.model.treatment import Cell, Comparison, Factor, Role, Standing, Treatment

TIME = Metric("time", "s", Better.LOWER, Summary.MEAN, "batch_time")
THROUGHPUT = Metric("throughput", "operations/s", Better.HIGHER, Summary.RATE, "batch_time")
MEMORY = Metric("memory", "B", Better.LOWER, Summary.MAXIMUM, "peak_memory", resolution=4096)

Values = Mapping[str, Sequence[float | None]]
ROLES = {"baseline": Role.BASELINE, "negative": Role.NEGATIVE, "positive": Role.POSITIVE}
STANDINGS = {
    Role.TREATMENT: Standing.PRIMARY,
    Role.NEGATIVE: Standing.NEGATIVE,
    Role.POSITIVE: Standing.POSITIVE,
}


def run_of(
    values: Values,
    *,
    metric: Metric = TIME,
    margin: float = 0.02,
    alpha: float = 0.05,
    fixed_blocks: int | None = None,
    family: str = "family",
    failures: tuple[Failure, ...] = (),
    count: int = 100,
) -> Measured:
    """A run of one cell, its treatments named by the keys: `baseline`, `negative`, `positive`, and any others.

    A value of None is a block in which the treatment failed. Comparisons are named like their treatments.
    """
    blocks = tuple(range(1, max(len(column) for column in values.values()) + 1))
    treatments = tuple(
        Treatment(name, "cell", {"level": name}, role, 2 * margin if role is Role.POSITIVE else 0.0)
        for name in values
        for role in (ROLES.get(name, Role.TREATMENT),)
    )
    plan = Plan(
        experiment="test",
        preset="default",
        question="",
        transfers="Nothing transfers.",
        control="level",
        factors=(Factor("level", tuple(values)),),
        metrics=(metric,),
        cells=(Cell("cell", {}, family, "baseline"),),
        treatments=treatments,
        comparisons=tuple(
            Comparison(treatment.id, "cell", treatment.id, "baseline", metric.name, STANDINGS[treatment.role], alpha)
            for treatment in treatments
            if treatment.role is not Role.BASELINE
        ),
        skipped=(),
        stopping=Stopping(margin, fixed_blocks=fixed_blocks),
        seed=1,
        batch_s=0.02,
    )
    present = by_block(values, blocks)
    return Measured(
        run_id="test",
        started="",
        state="finished",
        plan=plan,
        calibrated=Calibrated(
            {name: Calibration(name, count, 0, 0.02, 0.1, 1e-9, 1e-8) for name in values}, {"cell": 8}
        ),
        blocks=blocks,
        values={metric.name: present},
        counts={metric.name: {name: 8 * len(seen) for name, seen in present.items()}},
        visited={name: blocks[: len(column)] for name, column in values.items()},
        failures=failures,
        witnesses={},
        batches={name: BatchStatistics(80, 80 * count, 0.02, 0.0) for name in values},
        telemetry={name: {"throttled_s": 0.0} for name in values},
        sessions=(Environment({"host.cpu_model": "Abacus 3"}),),
        block_s=2.0,
    )


def by_block(values: Values, blocks: Sequence[int]) -> dict[str, dict[int, float]]:
    return {
        name: {block: value for block, value in zip(blocks, column, strict=False) if value is not None}
        for name, column in values.items()
    }


def with_plan(measured: Measured, **changes: Any) -> Measured:
    return dataclasses.replace(measured, plan=dataclasses.replace(measured.plan, **changes))


def with_metric(measured: Measured, metric: Metric, values: Values, standing: Standing) -> Measured:
    """The same run with one more metric, every treatment but the controls compared in it as `treatment:metric`."""
    more = tuple(
        Comparison(f"{name}:{metric.name}", "cell", name, "baseline", metric.name, standing, 0.05)
        for name in values
        if name not in ROLES
    )
    present = by_block(values, measured.blocks)
    measured = dataclasses.replace(measured, values=measured.values | {metric.name: present})
    plan = measured.plan
    return with_plan(measured, metrics=(*plan.metrics, metric), comparisons=(*plan.comparisons, *more))


def around(level: float, blocks: int, spread: float = 0.002, shift: int = 0) -> list[float]:
    """Values around a level that vary a little, each block in its own way."""
    return [level * (1 + spread * (((block + shift) * 7) % 5 - 2)) for block in range(blocks)]
