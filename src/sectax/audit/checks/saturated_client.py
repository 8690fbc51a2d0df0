"""A client at its limit measures itself."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.audit.checks.groups import Worst, unknown, worst
from sectax.audit.checks.interface import Remark, check
from sectax.audit.checks.words import number
from sectax.audit.checks.words import share as quantile_share
from sectax.audit.form import Evidence, Series
from sectax.model.finding import Severity

MOST_BUSY = 0.85
LEAST_ACHIEVED = 0.99
LEAST_OVERLAP = 0.8
MOST_DROPPED = 0.001
# Requests due at once per connection, for a client that sends on a schedule.
MOST_IN_FLIGHT = 5.0
# A request may wait this long for the client's own timer.
OWN_TIMER_S = 5e-3
ADVICE = "use more clients, or a lower rate"


def _relevant(evidence: Evidence) -> list[Series]:
    return [
        series
        for series in evidence.speeds
        if series.setting.service is not None or series.work.connections is not None or looks(series)
    ]


@check(
    "F: client CPU above 85 % of its quota, achieved rate below 99 % of the target, overlap below 80 % of it, "
    "dropped above 0.1 %, over 5 requests per connection due at once",
    sees=_relevant,
    runs=True,
)
def saturated_client(evidence: Evidence) -> Iterator[Remark]:
    relevant = _relevant(evidence)
    yield from unknown(
        [series for series in relevant if not looks(series) and not _waiting(series)],
        "the load of the client, and whether it kept its schedule, is not reported",
    )
    signs = {series: [*filter(None, looks(series)), *_waiting(series)] for series in relevant}
    busy: Worst = {series: (0.0, " and ".join(shown)) for series, shown in signs.items() if shown}
    yield from worst(Severity.FATAL, busy, "the client or a queue was measured, not the service", ADVICE)


def looks(series: Series) -> list[str]:
    """Return a reason, or '' where it is healthy, for each reported sign of a client at its limit."""
    work, looks = series.work, []
    if (share := work.client_cpu_share) is not None:
        looks.append(f"the client used {100 * share:.0f} % of its CPU quota" if share > MOST_BUSY else "")
    if (overlap := work.overlap_share) is not None:
        few = overlap < LEAST_OVERLAP
        looks.append(f"only {100 * overlap:.0f} % of the intended operations ran at once" if few else "")
    target, achieved = work.target_rate, work.achieved_rate
    if target and achieved is not None:
        # With random send times the count has a Poisson distribution; sectax sends at even intervals.
        by_chance = not series.treatment and work.operations and work.operations > 0
        chance = 3 / math.sqrt(work.operations or 1) if by_chance else 0.0
        slow = achieved < (LEAST_ACHIEVED - chance) * target
        looks.append(f"{number(achieved)} of {number(target)} operations/s were achieved" if slow else "")
    if work.dropped is not None and work.operations is not None:
        lost = work.dropped / (work.dropped + work.operations) if work.dropped else 0.0
        looks.append(f"{quantile_share(lost)} of the operations were not sent" if lost > MOST_DROPPED else "")
    return looks


def _waiting(series: Series) -> list[str]:
    """Detect more scheduled requests due at once than the connections allow."""
    work, mean, in_flight = series.work, series.claim("mean"), series.in_flight
    if in_flight is None or mean is None or not work.on_schedule or not work.connections:
        return []
    due = in_flight / work.connections
    if due <= MOST_IN_FLIGHT or mean.value < OWN_TIMER_S:
        return []
    return [f"from rate and mean latency, {due:.0f} requests per connection were due at once"]
