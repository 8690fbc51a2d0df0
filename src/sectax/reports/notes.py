"""What a report notes besides the findings: what the kernel saw while it was measured, and what empty loops take."""

from __future__ import annotations

import statistics

from sectax.model.analysed import Analysed
from sectax.model.measured import Measured
from sectax.model.printable import printable
from sectax.model.treatment import Role
from sectax.reports import units
from sectax.reports.words import names

# The cost of the empty loop and call is reported where it passes this share of an operation.
_EMPTY_REPORTED_FROM = 0.01


def notes(analysed: Analysed) -> tuple[str, ...]:
    """All of them, and after them what the run itself had to say."""
    measured = analysed.measured
    return (*_telemetry(measured), *empty_loops(analysed), *(printable(note) for note in measured.notes))


def _telemetry(measured: Measured) -> tuple[str, ...]:
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
    parts = []
    for family, shares in families.items():
        middle, most = units.share(statistics.median(shares)), units.share(max(shares))
        words = middle if middle == most else f"{middle} (at most {most})"
        parts.append(f"{printable(family)} {words}" if len(families) > 1 else words)
    return f"{', '.join(parts)} of the time waiting for a processor"


def _total(recorded: list[dict[str, float]], key: str, name: str, verb: str) -> str:
    seen = [each[key] for each in recorded if key in each]
    if not seen:
        return f"{name} not known"
    words = f"{units.seconds(sum(seen))} {verb}" if sum(seen) > 0 else f"no {name}"
    return words if len(seen) == len(recorded) else f"{words} in what could be read"


def empty_loops(analysed: Analysed) -> tuple[str, ...]:
    """What an operation that does nothing takes, where that is much of one, or the experiment wants it always shown."""
    plan = analysed.measured.plan
    own_words = plan.words.get("empty loop")
    reported_from = _EMPTY_REPORTED_FROM if own_words is None else 0.0
    shares = [
        f"{names.subject(plan, each.treatment)} {units.share(each.empty_share)}"
        for each in analysed.treatments
        if each.empty_share is not None
        and each.empty_share > reported_from
        and each.role in {Role.BASELINE, Role.TREATMENT}
    ]
    if not shares:
        return ()
    what = "the empty loop and call take" if own_words is None else printable(own_words)
    return (f"of each operation, {what} (not subtracted): {', '.join(shares)}",)
