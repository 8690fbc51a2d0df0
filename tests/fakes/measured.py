"""A finished run whose values a test makes up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sectax.model.measured import Measured
from sectax.model.plan import Plan
from sectax.model.treatment import Treatment

Values = Mapping[str, Mapping[int, float]] | Callable[[Treatment, int], float]


def measured(plan: Plan, values: Mapping[str, Values], blocks: tuple[int, ...], **more: Any) -> Measured:
    """Of which nothing else is known but what *more* says.

    Args:
        values: metric -> treatment -> block -> the block's value, or a function of treatment and block.
    """
    unknown: dict[str, Any] = {
        "run_id": "0" * 16,
        "started": "2026-01-01T00:00:00+00:00",
        "state": "finished",
        "calibrated": None,
        "counts": {},
        "visited": {},
        "failures": (),
        "witnesses": {},
        "batches": {},
        "telemetry": {},
        "sessions": (),
    }

    def column(of: Values) -> Mapping[str, Mapping[int, float]]:
        if not callable(of):
            return of
        return {item.id: {block: of(item, block) for block in blocks} for item in plan.treatments}

    return Measured(
        plan=plan, values={metric: column(of) for metric, of in values.items()}, blocks=blocks, **(unknown | more)
    )
