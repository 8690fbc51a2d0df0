"""What of a run several questions read: its estimates, and how it was throttled."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.model import advice as model
from sectax.model.analysed import Analysed
from sectax.model.finding import TreatmentResult
from sectax.model.measured import Measured
from sectax.model.treatment import MEASURED


def results(analysed: Analysed, metric: str) -> Iterator[TreatmentResult]:
    return (
        treatment for treatment in analysed.treatments if treatment.role in MEASURED and metric in treatment.estimates
    )


def throttled(measured: Measured) -> Iterator[model.Throttled]:
    for treatment in measured.plan.treatments:
        counted = measured.telemetry.get(treatment.id, {})
        periods, throttled = counted.get("periods"), counted.get("throttled_periods")
        if treatment.role in MEASURED and periods and throttled is not None:
            yield model.Throttled(treatment.cell, treatment.id, round(throttled), round(periods))
