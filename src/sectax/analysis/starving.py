"""What waits for its share of a processor, and what is slow: one operation at a small and at a large level."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.model.advice import Starving
from sectax.model.advice_rules import Starved
from sectax.model.analysed import Analysed
from sectax.model.finding import TreatmentResult
from sectax.model.measured import Measured
from sectax.model.treatment import Role


def starving(analysed: Analysed, metric: str, rule: Starved) -> Iterator[Starving]:
    """Every treatment at the smaller levels of the factor beside itself at the largest one that was measured.

    Args:
        metric: in seconds.
    """
    roles = {Role.BASELINE.value, Role.TREATMENT.value}
    groups: dict[tuple[tuple[str, str], ...], dict[int, TreatmentResult]] = {}
    for each in analysed.treatments:
        if each.role in roles and metric in each.estimates and rule.factor in each.levels:
            others = tuple((name, level) for name, level in each.levels.items() if name != rule.factor)
            groups.setdefault(others, {})[int(each.levels[rule.factor])] = each
    for others, found in groups.items():
        *smaller, large = sorted(found)
        for small in smaller:
            yield Starving(
                levels=dict(others),
                small=small,
                large=large,
                at_small=found[small].estimates[metric],
                at_large=found[large].estimates[metric],
                held_small=_held(analysed.measured, found[small].treatment),
                held_large=_held(analysed.measured, found[large].treatment),
            )


def _held(measured: Measured, treatment: str) -> float | None:
    """The share of its periods in which the quota ran out, all blocks together."""
    counted = measured.telemetry.get(treatment, {})
    periods, throttled = counted.get("periods"), counted.get("throttled_periods")
    return throttled / periods if periods and throttled is not None else None
