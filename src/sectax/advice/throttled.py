"""How often treatments used up their CPU quota, from their control groups."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.model.advice import AdviceRow
from sectax.model.finding import Estimate
from sectax.model.measured import Measured
from sectax.model.treatment import MEASURED

_WAITS = "the times of these treatments include waiting for the quota"


def throttled(measured: Measured) -> Iterator[AdviceRow]:
    """The share of quota periods in which a treatment was throttled, over all blocks."""
    for treatment in measured.plan.treatments:
        counted = measured.telemetry.get(treatment.id, {})
        periods, used_up = counted.get("periods"), counted.get("throttled_periods")
        if treatment.role in MEASURED and periods and used_up is not None:
            share = Estimate(used_up / periods, None, None, 0.0, "count", len(measured.blocks), "share")
            yield AdviceRow("CPU quota used up, of all periods", treatment.levels, "", share, _WAITS if used_up else "")
