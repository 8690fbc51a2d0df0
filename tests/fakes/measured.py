"""A finished run whose values a test makes up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sectax.model.measured import Measured
from sectax.model.plan import Plan

Values = Mapping[str, Mapping[str, Mapping[int, float]]]


def measured(plan: Plan, values: Values, blocks: tuple[int, ...], **more: Any) -> Measured:
    """Of which nothing else is known but what *more* says.

    Args:
        values: metric -> treatment -> block -> the block's value.
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
    return Measured(plan=plan, values=dict(values), blocks=blocks, **(unknown | more))  # type: ignore[arg-type]
