"""What a trial's figures are of: a time that was configured, or nothing at all."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sectax.audit.check import Check, Remark, fatal
from sectax.audit.evidence import Arm, Evidence
from sectax.audit.figure import Circumstances, EndsBy, Figure, Quantity
from sectax.audit.grouping import about, each_table, gather, unknown
from sectax.audit.words import named
from sectax.model.finding import Severity

# A trial that ends by the clock ends a little late, when its last operation is done; never early.
EARLY, LATE = 0.995, 1.05
# Of the seconds, that a trial that the clock ended lasts longer; and what numbers of events are unlike.
A_LITTLE, UNLIKE = 0.002, 1.05

_CONFIGURED = "it is the same however fast the machine is, so it shows no cost and no lack of one"

# Quantities that are of a whole trial, which may have counted nothing.
_OF_A_TRIAL = frozenset({Quantity.TOTAL_TIME, Quantity.RATE, Quantity.BANDWIDTH, Quantity.COUNT})
# Of these, a figure above zero shows that something was counted.
_COUNTING = _OF_A_TRIAL - {Quantity.TOTAL_TIME}


def _totals(evidence: Evidence) -> list[Figure]:
    return [each for each in evidence.printed if each.quantity is Quantity.TOTAL_TIME and each.typical is not None]


def _fixable(evidence: Evidence) -> list[Figure]:
    totals = {each.id for each in _totals(evidence)}
    return [each for each in evidence.printed if each.id in totals or _has_target(each)]


def _has_target(figure: Figure) -> bool:
    return figure.quantity is Quantity.RATE and figure.circumstances.target_rate is not None


def _by_the_clock(evidence: Evidence) -> Iterator[Remark]:
    fixed = {figure.id: _fixed(figure) for figure in _totals(evidence)}
    yield from unknown(
        [figure for figure in _totals(evidence) if fixed[figure.id] is None],
        "what ended the trial, the clock or a number of events, is not reported",
    )

    def saw(table: list[Figure]) -> str:
        configured = {figure.circumstances.configured_s for figure in table}
        how_long = "".join(f", {seconds:g} s" for seconds in configured if seconds and len(configured) == 1)
        return f"the total is the time that was configured{how_long}, in {named(table)}"

    yield from each_table(
        Severity.FATAL,
        [figure for figure in _totals(evidence) if fixed[figure.id]],
        saw,
        _CONFIGURED,
        "compare operations per second, or let a number of events end the trial",
    )
    yield from _same_time(evidence)
    yield from _as_asked(evidence)
    for arm in evidence.arms.values():
        yield from _arm_by_the_clock(arm)


def _arm_by_the_clock(arm: Arm) -> Iterator[Remark]:
    """A subject of ours that would end by the clock says so: `configured_s`."""
    told = [each for each in (arm.witnesses or {}).get("configured_s", ()) if isinstance(each, (int, float))]
    if not told or arm.batch_s is None:
        return
    if EARLY * told[0] <= arm.batch_s <= LATE * told[0]:
        yield fatal(
            arm.id,
            f"its {arm.batch_s:.4g} s are the {told[0]:g} s that were configured",
            _CONFIGURED,
            "compare the test of the same kind that does a fixed number of operations",
        )


def _same_time(evidence: Evidence) -> Iterator[Remark]:
    """Where nothing says what ended the trials: unlike numbers of events in the same whole seconds.

    W where a rate stands beside each total: then the total is not all that there is to compare.
    """
    rated = {figure.measurement for figure in evidence.printed if figure.quantity is Quantity.RATE}
    open_ = [figure for figure in _totals(evidence) if _fixed(figure) is None and figure.circumstances.events]
    whole = [figure for figure in open_ if _whole_seconds(figure.typical or 0.0)]
    for alike in gather(whole, lambda figure: math.floor(figure.typical or 0.0)):
        counts = [figure.circumstances.events or 0.0 for figure in alike]
        if max(counts) > UNLIKE * min(counts):
            yield about(
                Severity.WARNING if all(one.measurement in rated for one in alike) else Severity.FATAL,
                alike,
                f"trials of {min(counts):.0f} and of {max(counts):.0f} events took the same {alike[0].typical:.4g} s, "
                f"in {named(alike)}",
                "the clock ended them, so the total shows no cost and no lack of one",
                "compare operations per second",
            )


def _whole_seconds(seconds: float) -> bool:
    """A trial that the clock ends lasts a little longer than the whole seconds that were asked for."""
    return seconds >= 1 and 0 <= seconds - math.floor(seconds) <= A_LITTLE * seconds


def _as_asked(evidence: Evidence) -> Iterator[Remark]:
    """Rates that were asked for, and reached."""
    reached = [
        figure
        for figure in evidence.printed
        if figure.quantity is Quantity.RATE and _reached(figure.circumstances, figure.typical)
    ]
    yield from each_table(
        Severity.FATAL,
        reached,
        lambda table: (
            f"the rate is the one that was asked for, {table[0].circumstances.target_rate:g}/s, in {named(table)}"
        ),
        "it is the same however fast the machine is, so it shows no cost and no lack of one",
        "compare latencies, or ask for as much as can be had",
    )


def _reached(told: Circumstances, rate: float | None) -> bool:
    if not told.target_rate or told.achieved_rate is None or rate is None:
        return False
    # Operations that are sent at random times are a Poisson number.
    chance = 0.01 + (3 / math.sqrt(told.events) if told.events else 0.0)
    return abs(told.achieved_rate / told.target_rate - 1) <= chance and abs(rate / told.target_rate - 1) <= chance


def _fixed(figure: Figure) -> bool | None:
    """Whether the clock ended the trial; where that is not reported, whether it looks so."""
    told = figure.circumstances
    if told.ends_by is not None:
        return told.ends_by is EndsBy.TIME
    if told.configured_s is None:
        return None
    return EARLY * told.configured_s <= (figure.typical or 0.0) <= LATE * told.configured_s


def _of_trials(evidence: Evidence) -> list[Figure]:
    return [
        figure
        for figure in evidence.printed
        if figure.quantity in _OF_A_TRIAL or figure.circumstances.events is not None or figure.trials == 0
    ]


def _of_nothing(evidence: Evidence) -> Iterator[Remark]:
    seen = _of_trials(evidence)
    missing = "how many events the trial counted is not reported"
    yield from unknown([figure for figure in seen if _nothing(figure) is None], missing)
    yield from each_table(
        Severity.FATAL,
        [figure for figure in seen if _nothing(figure)],
        lambda table: f"no event was counted in {named(table)}",
        "there is nothing that the figure could be of",
        "see why the trial did nothing, and run it again",
    )
    for arm in evidence.arms.values():
        if arm.batches is not None and not arm.batches.operations:
            yield fatal(
                arm.id,
                f"no operation was counted in {arm.batches.batches} batches",
                "there is nothing that a figure could be of",
                "see why the subject did nothing, and run it again",
            )


def _nothing(figure: Figure) -> bool | None:
    events, value = figure.circumstances.events, figure.typical
    if events is not None:
        return events <= 0
    if figure.trials == 0:
        return True
    return value <= 0 if figure.quantity in _COUNTING and value is not None else None


FIXED_TIME_TOTAL = Check(
    id="fixed-time-total",
    rule="F: a total time that was configured cannot show a cost, nor can a rate that was asked for; unlike numbers of "
    "events in the same whole seconds were ended by the clock (W where a rate stands beside)",
    examine=_by_the_clock,
    sees=_fixable,
    applies=lambda evidence: any((arm.witnesses or {}).get("configured_s") for arm in evidence.arms.values()),
)

ZERO_EVENT_RUN = Check(
    id="zero-event-run",
    rule="F: the trial counted no event",
    examine=_of_nothing,
    sees=_of_trials,
    applies=lambda evidence: bool(evidence.arms),
)
