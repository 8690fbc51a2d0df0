"""A client that cannot send faster measures itself."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.audit.check import Check, Remark, fatal
from sectax.audit.evidence import Evidence
from sectax.audit.figure import Circumstances, Figure
from sectax.audit.grouping import speeds, unknown, worst_of_tables
from sectax.audit.over_blocks import typical_speeds
from sectax.model.finding import Severity

MOST_BUSY = 0.85
LEAST_ACHIEVED = 0.99
MOST_DROPPED = 0.001
# Requests under way or due at once for each connection, of a client that sends one after the other by a schedule: a
# few come from how it corrects latencies, more of them wait for their turn.
MOST_IN_FLIGHT = 5.0

MEANING = "the client was measured, not what it talks to"
ADVICE = "more clients, or a lower rate"


def _sees(evidence: Evidence) -> list[Figure]:
    """What a client asked of a service, as far as that can be seen."""
    return [figure for figure in speeds(evidence) if _asks(figure.circumstances) or _told(figure)]


def _asks(told: Circumstances) -> bool:
    return told.service is not None or told.load_client is not None


def _examine(evidence: Evidence) -> Iterator[Remark]:
    seen = _sees(evidence)
    yield from unknown(
        [figure for figure in seen if not _told(figure)],
        "how busy the client was, and whether it sent what it should, is not reported",
    )
    yield from worst_of_tables(
        Severity.FATAL,
        [figure for figure in seen if _reasons(figure.circumstances)],
        lambda _: 0.0,
        lambda figure: " and ".join(_reasons(figure.circumstances)),
        MEANING,
        ADVICE,
    )
    for figure in _loaded(evidence):
        # sectax sends at even intervals: nothing is achieved less by chance.
        reasons = _reasons(figure.circumstances, by_chance=False)
        if reasons:
            yield fatal(figure.treatment, " and ".join(reasons), MEANING, ADVICE)


def _loaded(evidence: Evidence) -> list[Figure]:
    """Of a run of ours, the treatments whose client was given a load that it may not have carried."""
    return [figure for figure in typical_speeds(evidence) if _told(figure)]


def _told(figure: Figure) -> bool:
    return any(told for told, _ in _looks(figure.circumstances, by_chance=True))


def _reasons(told: Circumstances, *, by_chance: bool = True) -> list[str]:
    return [reason for _, reason in _looks(told, by_chance=by_chance) if reason]


def _looks(told: Circumstances, *, by_chance: bool) -> Iterator[tuple[bool, str]]:
    """For each sign of a client at its limit: whether the source tells of it, and what is wrong, if anything."""
    share = told.client_cpu_share
    busy = share is not None and share > MOST_BUSY
    yield share is not None, f"the client used {100 * (share or 0.0):.0f} % of its CPU quota" if busy else ""
    target, achieved = told.target_rate, told.achieved_rate
    if target is not None and achieved is not None:
        # Where operations are sent at random times, they are a Poisson number.
        chance = 3 / math.sqrt(told.events) if by_chance and told.events else 0.0
        slow = achieved < (LEAST_ACHIEVED - chance) * target
        yield True, f"{achieved:.4g} operations/s were achieved of {target:.4g}" if slow else ""
    if told.dropped is not None and told.events is not None:
        lost = told.dropped / (told.dropped + told.events) if told.dropped else 0.0
        yield True, f"{100 * lost:.2g} % of the operations were not sent" if lost > MOST_DROPPED else ""
    if told.in_flight is not None and told.in_flight > MOST_IN_FLIGHT:
        yield (
            True,
            f"rate and mean latency mean that {told.in_flight:.0f} requests of each connection were due at once: they "
            "waited in the client, which was asked for more than it could send",
        )


SATURATED_CLIENT = Check(
    id="saturated-client",
    rule="F: client CPU above 85 % of its quota, achieved rate below 99 % of the target, dropped above 0.1 %, "
    "over 5 requests of a connection due at once",
    examine=_examine,
    sees=_sees,
    applies=lambda evidence: bool(_loaded(evidence)),
)
