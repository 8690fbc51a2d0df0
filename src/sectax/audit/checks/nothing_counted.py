"""A trial that counted nothing."""

from __future__ import annotations

from collections.abc import Iterator

from sectax.audit.checks.groups import unknown, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.form import Evidence, Quantity, Series
from sectax.model.finding import Severity

# Quantities of a whole trial, which may have counted nothing; one that moves no bytes has a bandwidth of zero.
_COUNTING = frozenset({Quantity.RATE, Quantity.COUNT})


def _seen(evidence: Evidence) -> list[Series]:
    of_trial = _COUNTING | {Quantity.TOTAL_TIME}
    return [one for one in evidence.series if one.quantity in of_trial or one.work.operations is not None]


@check("F: the trial counted no operation", sees=_seen)
def zero_event_run(evidence: Evidence) -> Iterator[Remark]:
    seen = _seen(evidence)
    yield from unknown(
        [one for one in seen if _nothing(one) is None], "how many operations were counted is not reported"
    )
    meaning, advice = "there is nothing that the figure could be of", "see why the trial did nothing, and run it again"
    nothing = {one: (0.0, "no operation was counted") for one in seen if _nothing(one)}
    yield from worst(Severity.FATAL, nothing, meaning, advice)


def _nothing(one: Series) -> bool | None:
    if one.work.operations is not None:
        return one.work.operations <= 0
    if one.quantity is Quantity.COUNT:
        return False
    return one.typical <= 0 if one.quantity in _COUNTING and one.typical is not None else None
