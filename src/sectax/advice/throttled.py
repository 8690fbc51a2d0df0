"""How often a run was throttled: what its control groups counted while its batches ran."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.model import advice as model
from sectax.model.measured import Measured
from sectax.model.treatment import MEASURED


def throttled(measured: Measured) -> Iterator[model.Throttled]:
    for treatment in measured.plan.treatments:
        counted = measured.telemetry.get(treatment.id, {})
        periods, throttled = counted.get("periods"), counted.get("throttled_periods")
        if treatment.role in MEASURED and periods and throttled is not None:
            yield model.Throttled(treatment.cell, treatment.id, round(throttled), round(periods))
