"""What the kernel saw while it was measured, in one line: waiting for a processor, steal, throttling."""

from __future__ import annotations

import statistics

from sectax.model.measured import Measured
from sectax.model.printable import printable
from sectax.reports import units


def lines(measured: Measured) -> tuple[str, ...]:
    """One line, or none where nothing was recorded. What could not be read is called so; it is never a zero."""
    recorded = [each for each in measured.telemetry.values() if each]
    if not recorded:
        return ()
    parts = [
        _waiting(measured),
        _total(recorded, "steal_s", "steal", "stolen by other machines"),
        _total(recorded, "throttled_s", "throttling", "throttled"),
    ]
    return (f"while it was measured: {', '.join(parts)}",)


def _waiting(measured: Measured) -> str:
    """Of the time in which a treatment could run, the share that it waited: the median of each family, and the most."""
    plan = measured.plan
    families: dict[str, list[float]] = {}
    for treatment in plan.treatments:
        seen = measured.telemetry.get(treatment.id, {})
        waited, ran = seen.get("run_queue_delay_s"), seen.get("cpu_time_s")
        if waited is not None and ran is not None and waited + ran > 0:
            families.setdefault(plan.cell(treatment.cell).family, []).append(waited / (waited + ran))
    if not families:
        return "waiting for a processor not known"
    told = []
    for family, shares in families.items():
        middle, most = units.share(statistics.median(shares)), units.share(max(shares))
        words = middle if middle == most else f"{middle} (at most {most})"
        told.append(f"{printable(family)} {words}" if len(families) > 1 else words)
    return f"{', '.join(told)} of the time waiting for a processor"


def _total(recorded: list[dict[str, float]], key: str, name: str, verb: str) -> str:
    told = [each[key] for each in recorded if key in each]
    if not told:
        return f"{name} not known"
    words = f"{units.seconds(sum(told))} {verb}" if sum(told) > 0 else f"no {name}"
    return words if len(told) == len(recorded) else f"{words} in what could be read"
