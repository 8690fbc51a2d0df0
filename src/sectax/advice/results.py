"""What of a run several questions read: its estimates, the sizes of its events, and how it was throttled."""

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


def event_sizes(analysed: Analysed) -> Iterator[model.EventSize]:
    """The event of every size; where treatments are sent unlike ones, the largest."""
    contents = analysed.measured.plan.contents
    if contents is None:
        return
    largest: dict[str, int] = {}
    for result in analysed.treatments:
        sent, level = result.witnesses.get("event_bytes"), result.levels.get(contents.size_factor, "")
        if isinstance(sent, int) and level in contents.sizes:
            largest[level] = max(sent, largest.get(level, 0))
    for level, sent in largest.items():
        yield model.EventSize(level, sent, sent / contents.sizes[level])


def throttled(measured: Measured) -> Iterator[model.Throttled]:
    for treatment in measured.plan.treatments:
        counted = measured.telemetry.get(treatment.id, {})
        periods, throttled = counted.get("periods"), counted.get("throttled_periods")
        if treatment.role in MEASURED and periods and throttled is not None:
            yield model.Throttled(treatment.cell, treatment.id, round(throttled), round(periods))
