"""How the time of a run's blocks was spent."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sectax.model.measured import Measured


@dataclass(frozen=True)
class TimeSpent:
    """Shares of the time of all finished blocks.

    Attributes:
        counted: inside the batches that count.
        settling: in settling batches and warm-up, estimated from the speed of those that count.
        opening: until subjects were ready, including their checks.
        waiting: the rest: idle time of a pace, overhead of visits, checks and ends, recording.
    """

    counted: float
    settling: float
    opening: float
    waiting: float


def time_spent(measured: Measured) -> TimeSpent | None:
    """Compute the shares; None before a block is finished, and without timed batches."""
    blocks = measured.record.values()
    whole_s = sum(block.seconds for block in blocks)
    counted_s = settling_s = opening_s = 0.0
    calibrations = {} if measured.calibrated is None else measured.calibrated.calibrations
    rounds = {} if measured.calibrated is None else measured.calibrated.rounds
    treatments = measured.plan.treatments
    place = {treatment.id: treatment.cell for treatment in treatments}
    at_once = Counter(treatment.cell for treatment in treatments if treatment.at_once)
    beside = {treatment.id: at_once[treatment.cell] if treatment.at_once else 1 for treatment in treatments}
    for block in blocks:
        for name, visit in block.visited.items():
            counted_s += visit.elapsed_s / beside[name]
            opening_s += visit.open_s or 0.0
            if name in calibrations and visit.operations:
                # Operations that are timed one by one have a batch each, and settle once for a visit.
                visits = min(visit.batches, rounds.get(place[name], visit.batches))
                calibration = calibrations[name]
                before = calibration.warmup * calibration.count + visits * calibration.settling_operations
                settling_s += before * visit.elapsed_s / visit.operations / beside[name]
    if whole_s <= 0 or counted_s <= 0:
        return None
    counted, settling, opening = counted_s / whole_s, settling_s / whole_s, opening_s / whole_s
    return TimeSpent(counted, settling, opening, max(0.0, 1 - counted - settling - opening))
